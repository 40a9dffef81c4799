import { listUsers as contract } from '@parley/contracts/identity/users'
import { endpoint } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { usersOfRealm } from './user-store.ts'

/** IDs that belong to nobody the caller can access are left out. */
export const listUsers = endpoint(contract, async ({ caller, params, deps }) => {
  const users = await usersOfRealm(deps.database.sql, caller.realm.id, params.user_ids)
  return { members: await seenUsers(deps.database.sql, caller, users, params) }
})
