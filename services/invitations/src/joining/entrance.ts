import { type CallerRealm, refuse } from '@parley/contracts'
import { findRealmById } from '@parley/contracts/identity/internals'
import { invitingStanding } from '@parley/contracts/identity/joining'
import type { RealmFact } from '@parley/contracts/identity/topics'
import { addressFinding } from '../addresses/address-rules.ts'
import { joiningSettings } from '../addresses/address-settings.ts'
import { mayInvite } from '../invites/invite-rules.ts'
import { type InvitationRow, invitationById, invitationByKey } from '../invites/invite-store.ts'
import { domainsOfRealm } from '../realm-domains/domain-store.ts'
import type { Deps } from '../room.ts'
import { type Confirmation, confirmationByKey } from './confirmation-store.ts'

type Invitation = InvitationRow & { readonly is_expired: boolean }

/** What somebody comes in by: an invitation, a confirmed address, or both. */
export interface Entrance {
  readonly invitation: Invitation | undefined
  readonly confirmation: Confirmation | undefined
  /** The address that is known to be the newcomer's; null when it is still to be confirmed. */
  readonly email: string | null
}

const longestKey = 100

/** @throws ApiError BAD_REQUEST for an invitation that is no good any more. */
export const demandOpenInvitation = (invitation: Invitation): void => {
  if (invitation.state === 'revoked') throw refuse('BAD_REQUEST', 'This invitation was withdrawn.')
  if (invitation.state === 'used')
    throw refuse('BAD_REQUEST', 'This invitation was used already. If it was you, log in.')
  if (invitation.is_expired) throw refuse('BAD_REQUEST', 'This invitation has expired.')
}

/** @throws ApiError BAD_REQUEST for a confirmation that is no good any more. */
export const demandOpenConfirmation = (confirmation: Confirmation): void => {
  if (confirmation.state === 'used')
    throw refuse('BAD_REQUEST', 'This link was used already. If it was you, log in.')
  if (confirmation.is_expired) throw refuse('BAD_REQUEST', 'This link has expired.')
}

/**
 * What a key opens. A key that was altered, made up, or belongs to another organization opens nothing.
 *
 * @throws ApiError RESOURCE_NOT_FOUND, BAD_REQUEST
 */
export const findEntrance = async (
  deps: Pick<Deps, 'database' | 'keys'>,
  realm: CallerRealm,
  key: string,
): Promise<Entrance> => {
  const { sql } = deps.database
  const hash = deps.keys.hash(realm.id, key.slice(0, longestKey))
  const invited = await invitationByKey(sql, hash)
  const confirmation = invited === undefined ? await confirmationByKey(sql, hash) : undefined
  if (invited === undefined && confirmation === undefined) {
    throw refuse('RESOURCE_NOT_FOUND', 'This link is not valid here.')
  }
  const invitation =
    invited ??
    (confirmation!.invitation_id === null
      ? undefined
      : await invitationById(sql, confirmation!.invitation_id))
  if (confirmation !== undefined) demandOpenConfirmation(confirmation)
  if (invitation !== undefined) demandOpenInvitation(invitation)
  return { invitation, confirmation, email: confirmation?.email ?? invitation!.email }
}

/** The organization, and what of the invitation can be given now. */
export interface Welcome {
  readonly realm: RealmFact
  readonly group_ids: readonly number[]
  /** Who is told that an invitation was used. */
  readonly listeners: readonly number[]
}

/**
 * Whether the organization takes people by this entrance now: it is there, the inviter could still invite like this, or
 * everybody may join.
 *
 * @throws ApiError REALM_DEACTIVATED, BAD_REQUEST
 */
export const demandWelcome = async (
  deps: Pick<Deps, 'ask'>,
  realmId: number,
  invitation: InvitationRow | undefined,
): Promise<Welcome> => {
  const { realm } = await deps.ask(findRealmById, { realm_id: realmId })
  if (realm === null || !realm.is_active) {
    throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  }
  if (invitation === undefined) {
    if (joiningSettings(realm).invite_required) {
      throw refuse('BAD_REQUEST', 'This organization is joined by invitation only.')
    }
    return { realm, group_ids: [], listeners: [] }
  }
  const { inviter_id, email, invited_as, group_ids } = invitation
  const standing = await deps.ask(invitingStanding, {
    realm_id: realmId,
    user_id: inviter_id,
    group_ids: [...group_ids],
  })
  if (!mayInvite(standing.account, { isMultiuse: email === null, invitedAs: invited_as })) {
    throw refuse('BAD_REQUEST', 'This invitation was withdrawn.')
  }
  const refused = new Set(standing.refused_groups.map(({ id }) => id))
  return {
    realm,
    group_ids: group_ids.filter((id) => !refused.has(id)),
    listeners: [...new Set([...standing.administrator_ids, inviter_id])],
  }
}

/** @throws ApiError BAD_REQUEST for an address that the organization does not take. */
export const demandAddress = async (
  deps: Pick<Deps, 'database'>,
  realm: RealmFact,
  email: string,
): Promise<void> => {
  const domains = await domainsOfRealm(deps.database.sql, realm.id)
  const finding = addressFinding(email, joiningSettings(realm), domains)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
}
