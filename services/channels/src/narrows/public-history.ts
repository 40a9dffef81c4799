import { type ChannelRow, channelColumns } from '../channels/channel-store.ts'
import type { Queries } from '../room.ts'

type Kind = 'public' | 'web-public' | 'archived'

export type ChannelsOfKind = (kind: Kind) => Promise<ChannelRow[]>

/** Reads the channels of each kind once. */
export const channelsOfKinds = (sql: Queries, realmId: number): ChannelsOfKind => {
  const read = new Map<Kind, Promise<ChannelRow[]>>()
  return (kind) => {
    const known = read.get(kind) ?? channelsOfKind(sql, realmId, kind)
    read.set(kind, known)
    return known
  }
}

/** All channels of a kind in an organization; which of them somebody may read in is not asked here. */
const channelsOfKind = async (sql: Queries, realmId: number, kind: Kind): Promise<ChannelRow[]> => {
  const which = {
    public: sql`NOT c.invite_only`,
    'web-public': sql`c.is_web_public`,
    archived: sql`c.is_archived`,
  }
  return sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c WHERE c.realm_id = ${realmId} AND ${which[kind]}`
}
