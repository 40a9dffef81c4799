import { acquaintances as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'

export const acquaintances = internal(contract, async ({ input, deps }) => {
  const { realm_id, user_id } = input
  const { database } = deps
  const rows = await database.sql<{ user_id: number }[]>`
    SELECT other.user_id
    FROM subscription_periods own
    JOIN channels c ON c.id = own.channel_id AND c.realm_id = ${realm_id}
    JOIN subscription_periods other ON other.channel_id = own.channel_id AND other.to_version IS NULL
    WHERE own.user_id = ${user_id} AND own.to_version IS NULL
    UNION
    SELECT unnest(c.user_ids)
    FROM conversation_participants own
    JOIN conversations c ON c.recipient_id = own.recipient_id AND c.realm_id = ${realm_id}
    WHERE own.user_id = ${user_id}
    UNION
    SELECT ${user_id}::bigint`
  return { user_ids: rows.map((row) => row.user_id) }
})
