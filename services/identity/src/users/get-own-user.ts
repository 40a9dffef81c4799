import { getOwnUser as contract } from '@parley/contracts/identity/users'
import { endpoint } from '../room.ts'
import { newestMessageInTime } from './newest-message-in-time.ts'
import { seenUsers } from './seen-users.ts'
import { userById } from './user-store.ts'

const wishes = { client_gravatar: false, include_custom_profile_fields: true }

export const getOwnUser = endpoint(contract, async ({ caller, deps, refuse }) => {
  const [user, max_message_id] = await Promise.all([
    userById(deps.database.sql, caller.realm.id, caller.user.id),
    newestMessageInTime(deps.ask, caller),
  ])
  if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
  const [seen] = await seenUsers(deps.database.sql, caller, [user], wishes)
  return { ...seen!, max_message_id }
})
