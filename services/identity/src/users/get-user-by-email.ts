import { getUserByEmail as contract } from '@parley/contracts/identity/users'
import { realmHost } from '../realms/realm-address.ts'
import { endpoint } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { systemBotObject } from './system-bot-objects.ts'
import { userByEmailFor } from './user-lookup.ts'

export const getUserByEmail = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const host = realmHost(deps.publicUrl, caller.realm.subdomain)
  const systemBot = systemBotObject(params.email.toLowerCase(), params.client_gravatar)
  if (systemBot !== undefined) return { user: systemBot }
  const user = await userByEmailFor(deps.database.sql, caller, params.email, host)
  if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
  const [seen] = await seenUsers(deps.database.sql, caller, [user], params)
  return { user: seen! }
})
