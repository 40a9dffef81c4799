import type { Purger } from '@parley/contracts/realm-data'
import type { Queries } from '../room.ts'

type PurgeProgress = Readonly<Partial<Record<Purger, { rows: number; is_done: boolean }>>>

export interface PurgeRow {
  readonly realm_id: number
  readonly subdomain: string
  /** ISO 8601, as the next one. */
  readonly begun_at: string
  readonly finished_at: string | null
  readonly progress: PurgeProgress
}

const columns = (sql: Queries) => sql`
  realm_id, subdomain, progress,
  to_char(begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS begun_at,
  to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS finished_at`

/** Organizations whose data is due for deletion, and is not being deleted yet; demo organizations also while active. */
export const dueRealms = async (sql: Queries): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM realms
    WHERE (NOT is_active AND deletion_due_at <= now() OR demo_deletion_at <= now())
      AND NOT EXISTS (SELECT FROM realm_purges p WHERE p.realm_id = realms.id)
    ORDER BY id LIMIT 100`
  return rows.map(({ id }) => id)
}

/** The organization as far as its end is concerned, held until the end of the transaction; undefined when not due. */
export const holdDueRealm = async (
  sql: Queries,
  id: number,
): Promise<{ subdomain: string; is_active: boolean } | undefined> => {
  const [realm] = await sql<{ subdomain: string; is_active: boolean }[]>`
    SELECT subdomain, is_active FROM realms
    WHERE id = ${id} AND (NOT is_active AND deletion_due_at <= now() OR demo_deletion_at <= now()) FOR UPDATE`
  return realm
}

/** @returns false when its end has begun before. */
export const insertPurge = async (sql: Queries, realmId: number, subdomain: string): Promise<boolean> => {
  const made = await sql`
    INSERT INTO realm_purges (realm_id, subdomain) VALUES (${realmId}, ${subdomain}) ON CONFLICT DO NOTHING`
  return made.count > 0
}

export const purgeOfRealm = async (sql: Queries, realmId: number): Promise<PurgeRow | undefined> => {
  const [row] = await sql<PurgeRow[]>`SELECT ${columns(sql)} FROM realm_purges WHERE realm_id = ${realmId}`
  return row
}

/** The latest of those that had a subdomain. */
export const purgeAtSubdomain = async (sql: Queries, subdomain: string): Promise<PurgeRow | undefined> => {
  const [row] = await sql<PurgeRow[]>`
    SELECT ${columns(sql)} FROM realm_purges WHERE subdomain = ${subdomain} ORDER BY begun_at DESC LIMIT 1`
  return row
}

/** Adds a service's report. @returns false for an organization that is not (any more) to be deleted. */
export const storeReport = async (
  sql: Queries,
  realmId: number,
  service: Purger,
  report: { rows: number; is_done: boolean },
): Promise<boolean> => {
  const stored = await sql`
    UPDATE realm_purges SET
      progress = progress || jsonb_build_object(${service}::text, jsonb_build_object(
        'rows', coalesce((progress -> ${service}::text ->> 'rows')::bigint, 0) + ${report.rows}::bigint,
        'is_done', ${report.is_done}::boolean)),
      due_at = CASE WHEN ${report.is_done}::boolean THEN clock_timestamp() ELSE due_at END
    WHERE realm_id = ${realmId} AND finished_at IS NULL`
  return stored.count > 0
}

/** Seconds until somebody looks at it again who has heard of nothing. */
const leaseSeconds = 30

export const claimPurges = (sql: Queries, most: number): Promise<PurgeRow[]> =>
  sql<PurgeRow[]>`
    UPDATE realm_purges SET due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE realm_id IN (
      SELECT realm_id FROM realm_purges WHERE due_at <= clock_timestamp()
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
    RETURNING ${columns(sql)}`

/** Something is left that a service said was gone. */
export const storeSetback = async (
  sql: Queries,
  realmId: number,
  services: readonly string[],
): Promise<void> => {
  await sql`UPDATE realm_purges SET progress = progress - ${[...services]}::text[] WHERE realm_id = ${realmId}`
}

export const storePurgeEnd = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`
    UPDATE realm_purges SET finished_at = clock_timestamp(), due_at = NULL
    WHERE realm_id = ${realmId} AND finished_at IS NULL`
}

export const openPurges = async (sql: Queries): Promise<{ count: number; oldest_seconds: number }> => {
  const [row] = await sql<{ count: number; oldest_seconds: number }[]>`
    SELECT count(*)::int AS count,
      coalesce(extract(epoch FROM clock_timestamp() - min(begun_at)), 0)::float8 AS oldest_seconds
    FROM realm_purges WHERE finished_at IS NULL`
  return row!
}
