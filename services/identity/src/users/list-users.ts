import { listUsers as contract } from '@parley/contracts/identity/users'
import { knownTo } from '../acquaintances/known-accounts.ts'
import { endpoint } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { usersOfRealm } from './user-store.ts'

/** IDs that belong to nobody the caller can access are left out. */
export const listUsers = endpoint(contract, async ({ caller, params, deps }) => {
  const users = await usersOfRealm(deps.database.sql, caller.realm.id, params.user_ids)
  const knows = await knownTo(deps.database.sql, caller)
  const known = knows === undefined ? users : users.filter(knows)
  return { members: await seenUsers(deps.database.sql, caller, known, params) }
})
