import { limits } from '@parley/contracts'
import { recentPrivateConversationsSection as contract } from '@parley/contracts/channels/sections'
import { directHistory, unbounded } from '../narrows/history.ts'
import { nearestIds } from '../narrows/nearest.ts'
import { readerOf } from '../narrows/reader.ts'
import { section } from '../room.ts'

export const recentPrivateConversationsSection = section(
  contract,
  async ({ caller, sql, deps }) => {
    const { person } = await readerOf(deps, caller, sql)
    const history = await directHistory(sql, person)
    const ids = await nearestIds(sql, [{ history, conditions: [] }], {
      place: unbounded,
      side: 'older',
      count: limits.recentDirectMessages,
    })
    const conversations = await sql<{ max_message_id: number; user_ids: number[] }[]>`
    SELECT max(m.id) AS max_message_id, array_remove(v.user_ids, ${person.id}::bigint) AS user_ids
    FROM messages m JOIN conversations v ON v.recipient_id = m.recipient_id
    WHERE m.id = ANY (${ids}::bigint[])
    GROUP BY v.recipient_id, v.user_ids ORDER BY max_message_id DESC`
    return { recent_private_conversations: [...conversations] }
  },
  async () => ({ recent_private_conversations: [] }),
)
