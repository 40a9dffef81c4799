import type { Queries } from '../room.ts'

/** Bytes of all files of an organization. */
export const spaceUsed = async (sql: Queries, realmId: number): Promise<number> => {
  const [usage] = await sql<{ bytes: number }[]>`SELECT bytes FROM realm_usage WHERE realm_id = ${realmId}`
  return usage?.bytes ?? 0
}

/**
 * Bytes that uploads under way have taken, or said that they will take: those that are not finished, and finished parts
 * that are not put together yet. (Of one that is finished, what the file takes is counted.)
 */
export const spacePromised = async (sql: Queries, realmId: number): Promise<number> => {
  const [promised] = await sql<{ bytes: number }[]>`
    SELECT coalesce(sum(greatest(length, bytes)), 0)::bigint AS bytes FROM resumable_uploads
    WHERE realm_id = ${realmId} AND (finished_at IS NULL OR path_id IS NULL)`
  return promised!.bytes
}

/** Adds to it (or takes away), and holds it until the end of the transaction. @returns what it is then. */
export const addSpaceUsed = async (sql: Queries, realmId: number, bytes: number): Promise<number> => {
  const [usage] = await sql<{ bytes: number }[]>`
    INSERT INTO realm_usage (realm_id, bytes) VALUES (${realmId}, ${bytes})
    ON CONFLICT (realm_id) DO UPDATE SET bytes = realm_usage.bytes + excluded.bytes
    RETURNING bytes`
  return usage!.bytes
}
