import { starredMessagesSection as contract } from '@parley/contracts/channels/sections'
import { readableIds } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { section } from '../room.ts'

export const starredMessagesSection = section(
  contract,
  async ({ caller, sql, deps }) => {
    const { person } = await readerOf(deps, caller, sql)
    const rows = await sql<{ message_id: number }[]>`
    SELECT message_id FROM message_flags WHERE user_id = ${person.id} AND flags & 2 <> 0`
    const ids = rows.map((row) => row.message_id)
    return { starred_messages: await readableIds(sql, caller.realm.id, person, ids) }
  },
  async () => ({ starred_messages: [] }),
)
