import { getUser as contract } from '@parley/contracts/identity/users'
import { endpoint } from '../room.ts'
import { userSeenBy } from './user-presentation.ts'
import { userById } from './user-store.ts'

export const getUser = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const user = await userById(deps.database.sql, caller.realm.id, params.user_id)
  if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
  return { user: userSeenBy(caller.user, user, params) }
})
