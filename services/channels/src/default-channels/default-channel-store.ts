import type { DefaultChannelGroup } from '@parley/contracts/objects/channel-folder'
import type { z } from 'zod'
import type { Queries } from '../room.ts'

type Group = z.infer<typeof DefaultChannelGroup>

/** IDs of the channels that newcomers are subscribed to. */
export const defaultChannels = async (sql: Queries, realmId: number): Promise<number[]> => {
  const rows = await sql<{ channel_id: number }[]>`
    SELECT channel_id FROM default_channels WHERE realm_id = ${realmId} ORDER BY channel_id`
  return rows.map((row) => row.channel_id)
}

/** @returns whether it was none before. */
export const addDefault = async (sql: Queries, realmId: number, channelId: number): Promise<boolean> => {
  const added = await sql`
    INSERT INTO default_channels (realm_id, channel_id) VALUES (${realmId}, ${channelId})
    ON CONFLICT DO NOTHING RETURNING channel_id`
  return added.count > 0
}

/** @returns whether it was one before. */
export const removeDefault = async (sql: Queries, realmId: number, channelId: number): Promise<boolean> => {
  const removed = await sql`
    DELETE FROM default_channels WHERE realm_id = ${realmId} AND channel_id = ${channelId} RETURNING channel_id`
  return removed.count > 0
}

export const defaultChannelGroups = (sql: Queries, realmId: number): Promise<Group[]> =>
  sql<Group[]>`
    SELECT id, name, description, to_jsonb(channel_ids) AS streams FROM default_channel_groups
    WHERE realm_id = ${realmId} ORDER BY id`

/** The group, held against other changes until the end of the transaction. */
export const lockDefaultGroup = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<Group | undefined> => {
  const [group] = await sql<Group[]>`
    SELECT id, name, description, to_jsonb(channel_ids) AS streams FROM default_channel_groups
    WHERE realm_id = ${realmId} AND id = ${id} FOR UPDATE`
  return group
}

/** @returns false when the name is taken. */
export const insertDefaultGroup = async (
  sql: Queries,
  realmId: number,
  group: Omit<Group, 'id'>,
): Promise<boolean> => {
  const made = await sql`
    INSERT INTO default_channel_groups (realm_id, name, description, channel_ids)
    VALUES (${realmId}, ${group.name}, ${group.description}, ${group.streams}::bigint[])
    ON CONFLICT (realm_id, lower(name)) DO NOTHING RETURNING id`
  return made.count > 0
}

export const saveDefaultGroup = async (sql: Queries, group: Group): Promise<void> => {
  await sql`
    UPDATE default_channel_groups
    SET name = ${group.name}, description = ${group.description}, channel_ids = ${group.streams}::bigint[]
    WHERE id = ${group.id}`
}

export const deleteDefaultGroup = async (sql: Queries, id: number): Promise<void> => {
  await sql`DELETE FROM default_channel_groups WHERE id = ${id}`
}

/** Active accounts that may know what newcomers see: everybody but guests. */
export const membersOfRealm = async (sql: Queries, realmId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE realm_id = ${realmId} AND is_active AND role <= 400`
  return rows.map((row) => row.id)
}
