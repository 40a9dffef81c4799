import { archivedMessages as contract } from '@parley/contracts/channels/archive-questions'
import { conditions } from '@parley/kit/holdings'
import { internal } from '../room.ts'
import { holdings } from './holdings.ts'

const messages = holdings.tables.find(({ table }) => table === 'messages')!

export const whichAreArchived = internal(contract, async ({ input, deps }) => {
  const condition = conditions(holdings as never).inArchive(messages as never, input.export_type)
  const rows = (await deps.database.sql.unsafe(
    `SELECT t.id FROM messages AS t
     WHERE t.id = ANY ($3::bigint[]) AND ${condition} AND $2::bigint[] IS NOT NULL ORDER BY t.id`,
    [input.realm_id, input.consenting, input.message_ids],
  )) as unknown as { id: number }[]
  return { message_ids: rows.map(({ id }) => id) }
})
