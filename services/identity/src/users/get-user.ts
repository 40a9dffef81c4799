import { getUser as contract } from '@parley/contracts/identity/users'
import { mayKnowAccount } from '../acquaintances/known-accounts.ts'
import { endpoint } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { systemBotObject } from './system-bot-objects.ts'
import { userById } from './user-store.ts'

export const getUser = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const systemBot = systemBotObject(params.user_id, params.client_gravatar)
  if (systemBot !== undefined) return { user: systemBot }
  const user = await userById(deps.database.sql, caller.realm.id, params.user_id)
  if (user === undefined || !(await mayKnowAccount(deps.database.sql, caller, user)))
    throw refuse('BAD_REQUEST', 'No such user')
  const [seen] = await seenUsers(deps.database.sql, caller, [user], params)
  return { user: seen! }
})
