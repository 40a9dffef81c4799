import { ApiError } from '@parley/contracts'
import { joinChannels } from '@parley/contracts/channels/joining'
import { findRealmById } from '@parley/contracts/identity/internals'
import { createNewcomer } from '@parley/contracts/identity/joining'
import { invitesChanged } from '@parley/contracts/invitations/events'
import { inTransaction } from '@parley/kit'
import { invitationById, reopenInvitation } from '../invites/invite-store.ts'
import { listenersOf } from '../invites/revoke.ts'
import type { Deps } from '../room.ts'
import { storeConfirmationState } from './confirmation-store.ts'
import { demandWelcome } from './entrance.ts'
import { advanceJoining, type Joining, postponeJoining } from './joining-store.ts'

type Parts = Pick<Deps, 'ask' | 'database' | 'log'>

/** Seconds between two attempts at most, and attempts after which somebody has to look. */
const longestPause = 300
const patience = 100

const memberRole = 400

/** A name as it is written in a message: nothing in it is markup. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]()#+\-.!|~<>@:$]/g, '\\$&')

/** What was claimed for somebody who could not be let in is free again. */
const giveBack = async ({ ask, database }: Parts, joining: Joining, refusal: string): Promise<Joining> => {
  const { invitation_id, confirmation_id, realm_id } = joining
  const invitation = invitation_id === null ? undefined : await invitationById(database.sql, invitation_id)
  const isSingle = invitation !== undefined && invitation.email !== null
  const users = isSingle ? await listenersOf({ ask }, realm_id, invitation.inviter_id) : []
  return inTransaction<typeof invitesChanged, Joining>(database, async (tx) => {
    if (confirmation_id !== null) await storeConfirmationState(tx.sql, confirmation_id, 'open')
    if (isSingle) {
      await reopenInvitation(tx.sql, invitation.id)
      tx.emit(invitesChanged, { realm: realm_id, users }, {})
    }
    return advanceJoining(tx.sql, joining, { step: 'refused', refusal })
  })
}

/** The invitation's groups that can still be given. Who has claimed a key is let in, whatever its maker has lost since. */
const groupsToGive = async (
  parts: Parts,
  realmId: number,
  invitation: Awaited<ReturnType<typeof invitationById>>,
): Promise<readonly number[]> => {
  try {
    return (await demandWelcome(parts, realmId, invitation)).group_ids
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return []
  }
}

const makeAccount = async (parts: Parts, joining: Joining): Promise<Joining> => {
  const { sql } = parts.database
  const { id, realm_id, email, full_name, invitation_id } = joining
  const invitation = invitation_id === null ? undefined : await invitationById(sql, invitation_id)
  try {
    const group_ids = await groupsToGive(parts, realm_id, invitation)
    const { user_id } = await parts.ask(createNewcomer, {
      name: id,
      realm_id,
      email,
      full_name,
      role: invitation?.invited_as ?? memberRole,
      password_hash: joining.password_hash!,
      group_ids: [...group_ids],
      welcome_message_custom_text: invitation?.welcome_message_custom_text ?? null,
    })
    return await advanceJoining(sql, joining, { step: 'channels', user_id })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return giveBack(parts, joining, error.message)
  }
}

const enterChannels = async (parts: Parts, joining: Joining): Promise<Joining> => {
  const { sql } = parts.database
  const { id, realm_id, user_id, invitation_id, full_name } = joining
  const invitation = invitation_id === null ? undefined : await invitationById(sql, invitation_id)
  const { realm } = await parts.ask(findRealmById, { realm_id })
  if (realm === null) return advanceJoining(sql, joining, { step: 'done' })
  await parts.ask(joinChannels, {
    name: id,
    realm_id,
    user_id: user_id!,
    inviter_id: invitation?.inviter_id ?? null,
    channel_ids: [...(invitation?.channel_ids ?? [])],
    include_default: invitation?.include_realm_default_subscriptions ?? true,
    notices: [
      ...(invitation?.notify_referrer_on_join === true && invitation.email !== null
        ? [
            {
              bot: 'notification' as const,
              user_id: invitation.inviter_id,
              content: `${plain(full_name)} accepted your invitation and joined ${plain(realm.name)}.`,
            },
          ]
        : []),
    ],
  })
  return advanceJoining(sql, joining, { step: 'done' })
}

/**
 * Takes all steps that are left. Each can be repeated, so it does not matter who dies between two of them: the step is
 * taken again by whoever finds it due.
 *
 * @returns how the joining stands: `done` or `refused`.
 * @throws EngineUnavailableError when a neighbour is away; the joining goes on later.
 */
export const takeSteps = async (parts: Parts, begun: Joining): Promise<Joining> => {
  let joining = begun
  if (joining.step === 'account') joining = await makeAccount(parts, joining)
  if (joining.step === 'channels') joining = await enterChannels(parts, joining)
  return joining
}

/** Goes on with somebody whom nobody attends to any more. */
export const resumeJoining = async (parts: Parts, joining: Joining): Promise<void> => {
  try {
    await takeSteps(parts, joining)
  } catch (error) {
    const level = joining.attempts > patience ? 'error' : 'warn'
    parts.log[level]({ err: error, joining: joining.id, step: joining.step }, 'somebody waits on the way in')
    const pause = Math.min(2 ** Math.min(joining.attempts, 10), longestPause)
    await postponeJoining(parts.database.sql, joining.id, pause)
  }
}
