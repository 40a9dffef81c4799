import { type KnownCaller, refuse } from '@parley/contracts'
import { invitingStanding } from '@parley/contracts/identity/joining'
import { invitesChanged } from '@parley/contracts/invitations/events'
import type { Tx } from '@parley/kit'
import type { Deps, Queries } from '../room.ts'
import { mayEnd, mayManage } from './invite-rules.ts'
import { endInvitations, type InvitationRow, inviterOfRevokedLink, lockOpen } from './invite-store.ts'

type Transact = <T>(work: (tx: Tx<typeof invitesChanged>) => Promise<T>) => Promise<T>

interface Named {
  readonly id: number
  readonly isMultiuse: boolean
}

/**
 * Holds an open invitation that the caller may end. One of somebody else is unknown to who is no administrator.
 *
 * @throws ApiError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const demandOwn = async (
  sql: Queries,
  { realm, user }: KnownCaller,
  { id, isMultiuse }: Named,
): Promise<InvitationRow> => {
  const found = await lockOpen(sql, realm.id, id)
  if (found === undefined || (found.email === null) !== isMultiuse || !mayManage(user, found)) {
    if (isMultiuse && (await isRevokedLink(sql, realm.id, id, user))) {
      throw refuse('BAD_REQUEST', 'Invitation has already been revoked')
    }
    throw refuse('BAD_REQUEST', 'No such invitation')
  }
  if (!mayEnd(user, found)) throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner')
  return found
}

const isRevokedLink = async (
  sql: Queries,
  realmId: number,
  id: number,
  user: KnownCaller['user'],
): Promise<boolean> => {
  const inviterId = await inviterOfRevokedLink(sql, realmId, id)
  return inviterId !== undefined && mayManage(user, { inviter_id: inviterId })
}

/** Who is told of what happens to somebody's invitation. */
export const listenersOf = async (
  deps: Pick<Deps, 'ask'>,
  realmId: number,
  inviterId: number,
): Promise<number[]> => {
  const { administrator_ids } = await deps.ask(invitingStanding, {
    realm_id: realmId,
    user_id: inviterId,
    group_ids: [],
  })
  return [...new Set([...administrator_ids, inviterId])]
}

/** Ends an open invitation. @throws ApiError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const revoke = async (
  deps: Pick<Deps, 'ask'>,
  caller: KnownCaller,
  transaction: Transact,
  named: Named,
): Promise<void> => {
  const { realm } = caller
  const administrators = await listenersOf(deps, realm.id, caller.user.id)
  await transaction(async (tx) => {
    const { id, inviter_id } = await demandOwn(tx.sql, caller, named)
    await endInvitations(tx.sql, [id], 'revoked')
    const isCallersOwn = inviter_id === caller.user.id
    const users = isCallersOwn ? administrators : [...new Set([...administrators, inviter_id])]
    tx.emit(invitesChanged, { realm: realm.id, users }, {})
  })
}
