import {
  realmUserUpdate,
  type userGroupAddMembers,
  type userGroupRemoveMembers,
} from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { audienceOf } from '../acquaintances/user-audience.ts'
import { announceMoved, systemGroupFor } from '../groups/group-membership.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { publishAccount } from '../users/account-facts.ts'
import { takeFirstLogIn, userById } from '../users/user-store.ts'

export type LogInEvents = typeof realmUserUpdate | typeof userGroupAddMembers | typeof userGroupRemoveMembers

/**
 * An account that was made by others (by the API, or imported) is used for the first time: "account creation time until
 * first login of an imported-stub or API-created user, then the first login time". Later log-ins change nothing.
 */
export const noteFirstLogIn = async (tx: Tx<LogInEvents>, realmId: number, id: number): Promise<void> => {
  await lockAccounts(tx.sql, realmId)
  const before = await userById(tx.sql, realmId, id)
  if (before === undefined) return
  const left = await systemGroupFor(tx.sql, id, before.role)
  const user = await takeFirstLogIn(tx.sql, realmId, id)
  if (user === undefined) return
  await publishAccount(tx, user)
  const audience = await audienceOf(tx.sql, user)
  if (before.is_imported_stub) {
    tx.emit(realmUserUpdate, audience, { person: { user_id: id, is_imported_stub: false } })
  }
  tx.emit(realmUserUpdate, audience, { person: { user_id: id, date_joined: user.date_joined } })
  // Who joins now has still to wait before being a full member.
  announceMoved(tx, realmId, [id], { left, entered: await systemGroupFor(tx.sql, id, user.role) })
}
