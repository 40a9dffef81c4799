import { getUser as contract } from '@parley/contracts/identity/users'
import { endpoint } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { userById } from './user-store.ts'

export const getUser = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const user = await userById(deps.database.sql, caller.realm.id, params.user_id)
  if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
  const [seen] = await seenUsers(deps.database.sql, caller, [user], params)
  return { user: seen! }
})
