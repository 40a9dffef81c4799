import { type ChannelRow, channelColumns } from '../channels/channel-store.ts'
import { holdPeople } from '../directory/people-lock.ts'
import type { Queries } from '../room.ts'

/** Those of some channels that exist in the organization and are not archived, and whether the account is in them. */
export const openChannelsOf = (
  sql: Queries,
  realmId: number,
  userId: number,
  ids: readonly number[],
): Promise<(ChannelRow & { is_subscribed: boolean })[]> =>
  sql<(ChannelRow & { is_subscribed: boolean })[]>`
    SELECT ${channelColumns(sql)}, p.user_id IS NOT NULL AS is_subscribed
    FROM channels c
    LEFT JOIN subscription_periods p
      ON p.channel_id = c.id AND p.user_id = ${userId} AND p.to_version IS NULL
    WHERE c.realm_id = ${realmId} AND c.id = ANY (${[...ids]}::bigint[]) AND NOT c.is_archived
    ORDER BY c.id`

/**
 * Channels to be joined, held against other changes until the end of the transaction, in the order of IDs: some, and the
 * organization's default channels.
 */
export const lockOpenChannels = async (
  sql: Queries,
  realmId: number,
  ids: readonly number[],
  includeDefault: boolean,
): Promise<ChannelRow[]> => {
  await holdPeople(sql, realmId)
  return sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND NOT c.is_archived
      AND (c.id = ANY (${[...ids]}::bigint[]) OR (${includeDefault} AND c.id IN (
        SELECT channel_id FROM default_channels WHERE realm_id = ${realmId})))
    ORDER BY c.id FOR NO KEY UPDATE`
}
