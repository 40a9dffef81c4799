import { refuse } from '@parley/contracts'
import type { ChannelFolder } from '@parley/contracts/objects/channel-folder'
import type { Queries } from '../room.ts'

const columns = (sql: Queries) => sql`
  id, name, description, rendered_description, place AS order,
  floor(extract(epoch FROM created_at))::bigint AS date_created, creator_id, is_archived`

/** All folders of an organization in their order. */
export const foldersOfRealm = (
  sql: Queries,
  realmId: number,
  includeArchived: boolean,
): Promise<ChannelFolder[]> =>
  sql<ChannelFolder[]>`
    SELECT ${columns(sql)} FROM channel_folders
    WHERE realm_id = ${realmId} ${includeArchived ? sql`` : sql`AND NOT is_archived`}
    ORDER BY place, id`

/** Those that hold something which the organization shows to the whole world, in their order. */
export const foldersShownToAnybody = (sql: Queries, realmId: number): Promise<ChannelFolder[]> =>
  sql<ChannelFolder[]>`
    SELECT ${columns(sql)} FROM channel_folders
    WHERE realm_id = ${realmId} AND id IN (
      SELECT folder_id FROM channels WHERE realm_id = ${realmId} AND is_web_public AND NOT is_archived)
    ORDER BY place, id`

/**
 * Until the end of the transaction nobody else makes, changes or orders folders of the organization; who puts channels
 * into them waits only for their own folder.
 */
export const lockFolders = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock((509005::bigint << 32) + ${realmId})`
}

/** One folder, held against channels being put into it. */
export const lockFolder = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<ChannelFolder | undefined> => {
  const [folder] = await sql<ChannelFolder[]>`
    SELECT ${columns(sql)} FROM channel_folders WHERE realm_id = ${realmId} AND id = ${id} FOR UPDATE`
  return folder
}

/**
 * Holds that a folder takes channels, until the end of the transaction.
 *
 * @throws ApiError BAD_REQUEST when it does not exist here or is archived.
 */
export const demandUsableFolder = async (sql: Queries, realmId: number, id: number): Promise<void> => {
  const found = await sql`
    SELECT FROM channel_folders WHERE realm_id = ${realmId} AND id = ${id} AND NOT is_archived FOR SHARE`
  if (found.count === 0) throw refuse('BAD_REQUEST', 'Invalid channel folder ID')
}

/** By ID. */
export const folderNames = async (sql: Queries, ids: readonly number[]): Promise<Map<number, string>> => {
  const rows = await sql<{ id: number; name: string }[]>`
    SELECT id, name FROM channel_folders WHERE id = ANY (${[...ids]}::bigint[])`
  return new Map(rows.map((row) => [row.id, row.name]))
}

export const isFolderNameUsed = async (
  sql: Queries,
  realmId: number,
  name: string,
  exceptId = 0,
): Promise<boolean> => {
  const used = await sql`
    SELECT FROM channel_folders
    WHERE realm_id = ${realmId} AND lower(name) = lower(${name}) AND NOT is_archived AND id <> ${exceptId}`
  return used.count > 0
}

export const hasChannels = async (sql: Queries, folderId: number): Promise<boolean> => {
  const inside = await sql`SELECT FROM channels WHERE folder_id = ${folderId} LIMIT 1`
  return inside.count > 0
}

/** Adds a folder after all others. */
export const insertFolder = async (
  sql: Queries,
  folder: Pick<ChannelFolder, 'name' | 'description' | 'rendered_description' | 'creator_id'> & {
    realm_id: number
  },
): Promise<ChannelFolder> => {
  const [made] = await sql<ChannelFolder[]>`
    INSERT INTO channel_folders (realm_id, name, description, rendered_description, creator_id, place)
    SELECT ${folder.realm_id}, ${folder.name}, ${folder.description}, ${folder.rendered_description},
      ${folder.creator_id}::bigint,
      (SELECT coalesce(max(place) + 1, 0) FROM channel_folders WHERE realm_id = ${folder.realm_id})
    RETURNING ${columns(sql)}`
  return made!
}

export const changeFolder = async (
  sql: Queries,
  id: number,
  changes: Partial<Pick<ChannelFolder, 'name' | 'description' | 'rendered_description' | 'is_archived'>>,
): Promise<void> => {
  await sql`UPDATE channel_folders SET ${sql(changes)} WHERE id = ${id}`
}

/** Puts the folders into an order that names each of them. */
export const orderFolders = async (sql: Queries, ids: readonly number[]): Promise<void> => {
  await sql`
    UPDATE channel_folders f SET place = wanted.number - 1
    FROM unnest(${[...ids]}::bigint[]) WITH ORDINALITY AS wanted(id, number) WHERE f.id = wanted.id`
}
