import { type CallerRealm, refuse } from '@parley/contracts'
import { judgeNewcomer } from '@parley/contracts/identity/joining'
import { invitesChanged } from '@parley/contracts/invitations/events'
import { inTransaction } from '@parley/kit'
import { endInvitations, lockInvitation } from '../invites/invite-store.ts'
import type { Deps } from '../room.ts'
import { lockConfirmation, storeConfirmationState } from './confirmation-store.ts'
import {
  demandAddress,
  demandOpenConfirmation,
  demandOpenInvitation,
  demandWelcome,
  findEntrance,
} from './entrance.ts'
import { insertJoining, postponeJoining } from './joining-store.ts'
import { takeSteps } from './take-steps.ts'

/**
 * Makes the account of somebody who has a key, with everything that the invitation gives. The key is claimed in the
 * transaction that writes the joining down: of any number who come with it at once, one gets in.
 *
 * @throws ApiError RESOURCE_NOT_FOUND, REALM_DEACTIVATED, BAD_REQUEST; EngineUnavailableError when a neighbour is away:
 * who was let in then has an account as soon as it is back.
 */
export const letIn = async (
  deps: Deps,
  caller: CallerRealm,
  wish: { key: string; full_name: string; password: string },
): Promise<{ user_id: number; email: string }> => {
  const { invitation, confirmation, email } = await findEntrance(deps, caller, wish.key)
  if (email === null) throw refuse('BAD_REQUEST', 'Your address has to be confirmed first.')
  const { realm, listeners } = await demandWelcome(deps, caller.id, invitation)
  await demandAddress(deps, realm, email)
  const full_name = wish.full_name.trim()
  const { password_hash } = await deps.ask(judgeNewcomer, {
    realm_id: realm.id,
    email,
    full_name,
    password: wish.password,
  })
  const begun = await inTransaction<typeof invitesChanged, Awaited<ReturnType<typeof insertJoining>>>(
    deps.database,
    async (tx) => {
      const { sql } = tx
      if (invitation !== undefined) {
        const held = (await lockInvitation(sql, invitation.id))!
        demandOpenInvitation(held)
        if (held.email !== null) {
          await endInvitations(sql, [held.id], 'used')
          tx.emit(invitesChanged, { realm: realm.id, users: [...listeners] }, {})
        }
      }
      if (confirmation !== undefined) {
        demandOpenConfirmation((await lockConfirmation(sql, confirmation.id))!)
        await storeConfirmationState(sql, confirmation.id, 'used')
      }
      return insertJoining(sql, {
        realm_id: realm.id,
        invitation_id: invitation?.id ?? null,
        confirmation_id: confirmation?.id ?? null,
        email,
        full_name,
        password_hash,
      })
    },
  )
  const { step, user_id, refusal } = await takeSteps(deps, begun).catch(async (error: unknown) => {
    // Others need not wait for the end of the lease.
    await postponeJoining(deps.database.sql, begun.id, 1).catch(() => {})
    throw error
  })
  if (step === 'refused' || user_id === null) {
    throw refuse('BAD_REQUEST', refusal ?? 'The account could not be made.')
  }
  return { user_id, email }
}
