import { hasWebPublicChannels as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'

export const hasWebPublicChannels = internal(contract, async ({ input, deps: { database } }) => {
  const rows = await database.guard(database.sql`
    SELECT 1 FROM channels WHERE realm_id = ${input.realm_id} AND is_web_public AND NOT is_archived LIMIT 1`)
  return { exist: rows.length > 0 }
})
