import { listBots as contract } from '@parley/contracts/identity/bots'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import { endpoint } from '../room.ts'
import { keysOf } from '../users/credential-store.ts'
import { usersOfRealm } from '../users/user-store.ts'
import { botsOfRealm } from './bot-store.ts'

export const listBots = endpoint(contract, async ({ caller, deps }) => {
  const { sql } = deps.database
  const bots = await botsOfRealm(sql, caller.realm.id, caller.user.id)
  const ids = bots.map(({ user_id }) => user_id)
  const [users, stored] = await Promise.all([usersOfRealm(sql, caller.realm.id, ids), keysOf(sql, ids)])
  const userOf = new Map(users.map((user) => [user.id, user]))
  return {
    bots: bots.flatMap(
      ({ user_id, default_sending_stream, default_events_register_stream, default_all_public_streams }) => {
        const user = userOf.get(user_id)
        const key = stored.get(user_id)
        if (user?.is_active !== true || key === undefined) return []
        return {
          username: user.email,
          full_name: user.full_name,
          api_key: deps.keys.decrypt(key.api_key_encrypted, key.api_key_hash),
          avatar_url: avatarUrl(user),
          default_sending_stream,
          default_events_register_stream,
          default_all_public_streams,
        }
      },
    ),
  }
})
