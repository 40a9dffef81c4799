import { type KnownCaller, type Role, refuse } from '@parley/contracts'
import { judgeInvitedChannels } from '@parley/contracts/channels/joining'
import { invitingStanding } from '@parley/contracts/identity/joining'
import type { Deps } from '../room.ts'
import { invitingFinding, validityFrom, welcomeTextFrom } from './invite-rules.ts'
import type { InvitationTerms } from './invite-store.ts'

/** What an account sent about an invitation that it wants to make. */
interface Sent {
  readonly invite_expires_in_minutes?: number | null | undefined
  readonly invite_as: Role
  readonly stream_ids: readonly number[]
  readonly group_ids: readonly number[]
  readonly include_realm_default_subscriptions: boolean
  readonly welcome_message_custom_text?: string | null | undefined
}

interface Demanded {
  readonly terms: InvitationTerms & { readonly validity_minutes: number | null }
  readonly inviter: { readonly full_name: string; readonly delivery_email: string }
  /** Who is told that there is an invitation more. */
  readonly listeners: readonly number[]
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)]

/**
 * What an account may give to those whom it invites, by what it may do now.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandTerms = async (
  deps: Pick<Deps, 'ask' | 'linkValidity'>,
  { realm, user }: KnownCaller,
  isMultiuse: boolean,
  sent: Sent,
): Promise<Demanded> => {
  const [channel_ids, group_ids] = [unique(sent.stream_ids), unique(sent.group_ids)]
  const asked = { realm_id: realm.id, user_id: user.id }
  const { account, refused_groups, administrator_ids } = await deps.ask(invitingStanding, {
    ...asked,
    group_ids,
  })
  const finding = invitingFinding(account, { isMultiuse, invitedAs: sent.invite_as })
  if (account === null || finding !== undefined)
    throw refuse('BAD_REQUEST', finding ?? 'Insufficient permission')
  if (refused_groups.length > 0) throw refuse('BAD_REQUEST', refused_groups[0]!.reason)
  if (channel_ids.length > 0) {
    const { unknown, forbidden } = await deps.ask(judgeInvitedChannels, { ...asked, channel_ids })
    if (unknown.length > 0) {
      throw refuse('BAD_REQUEST', `Invalid channel ID ${unknown[0]}. No invites were sent.`)
    }
    if (forbidden.length > 0) {
      throw refuse('BAD_REQUEST', 'You do not have permission to subscribe other users to channels.')
    }
  }
  return {
    terms: {
      invited_as: sent.invite_as,
      channel_ids,
      group_ids,
      include_realm_default_subscriptions: sent.include_realm_default_subscriptions,
      welcome_message_custom_text: welcomeTextFrom(account.role, sent.welcome_message_custom_text),
      validity_minutes: validityFrom(sent.invite_expires_in_minutes, deps.linkValidity),
    },
    inviter: account,
    listeners: unique([...administrator_ids, user.id]),
  }
}
