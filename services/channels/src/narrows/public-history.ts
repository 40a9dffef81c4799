import { type ChannelRow, channelColumns } from '../channels/channel-store.ts'
import type { Queries } from '../room.ts'

/** All channels of a kind in an organization; which of them somebody may read in is not asked here. */
export const channelsOfKind = (
  sql: Queries,
  realmId: number,
  kind: 'public' | 'web-public' | 'archived',
): Promise<ChannelRow[]> => {
  const which = {
    public: sql`NOT c.invite_only`,
    'web-public': sql`c.is_web_public`,
    archived: sql`c.is_archived`,
  }
  return sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c WHERE c.realm_id = ${realmId} AND ${which[kind]}`
}
