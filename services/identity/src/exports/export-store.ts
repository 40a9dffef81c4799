import type { ExportType } from '@parley/contracts/objects/realm-export'
import type { Queries } from '../room.ts'

export interface ExportRow {
  readonly id: number
  readonly realm_id: number
  /** Null when an operator asked for it. */
  readonly acting_user_id: number | null
  readonly export_type: ExportType
  /** UNIX seconds, as the next three; null for what did not happen. */
  readonly requested_at: number
  readonly finished_at: number | null
  readonly failed_at: number | null
  readonly deleted_at: number | null
  readonly from_prior_server: boolean
  readonly object_key: string | null
  readonly bytes: number | null
  readonly attempts: number
  readonly error: string | null
}

const columns = (sql: Queries) => sql`
  id, realm_id, acting_user_id, export_type, from_prior_server, object_key, bytes, attempts, error,
  extract(epoch FROM requested_at)::bigint AS requested_at, extract(epoch FROM finished_at)::bigint AS finished_at,
  extract(epoch FROM failed_at)::bigint AS failed_at, extract(epoch FROM deleted_at)::bigint AS deleted_at`

/** Those that somebody of the organization asked for, oldest first. */
export const exportsOfRealm = (sql: Queries, realmId: number): Promise<ExportRow[]> =>
  sql<ExportRow[]>`
    SELECT ${columns(sql)} FROM realm_exports
    WHERE realm_id = ${realmId} AND acting_user_id IS NOT NULL ORDER BY id`

export const exportById = async (sql: Queries, id: number): Promise<ExportRow | undefined> => {
  const [row] = await sql<ExportRow[]>`SELECT ${columns(sql)} FROM realm_exports WHERE id = ${id}`
  return row
}

/** Of the organization's administrators; held until the end of the transaction. */
export const holdExport = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<ExportRow | undefined> => {
  const [row] = await sql<ExportRow[]>`
    SELECT ${columns(sql)} FROM realm_exports
    WHERE id = ${id} AND realm_id = ${realmId} AND acting_user_id IS NOT NULL FOR UPDATE`
  return row
}

/** How many were asked for within a week. To be asked under `lockAccounts`. */
export const exportsThisWeek = async (sql: Queries, realmId: number): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM realm_exports
    WHERE realm_id = ${realmId} AND acting_user_id IS NOT NULL AND NOT from_prior_server
      AND requested_at > now() - interval '7 days'`
  return row!.count
}

export const insertExport = async (
  sql: Queries,
  wish: Pick<ExportRow, 'realm_id' | 'acting_user_id' | 'export_type'>,
): Promise<number> => {
  const [made] = await sql<{ id: number }[]>`INSERT INTO realm_exports ${sql(wish)} RETURNING id`
  return made!.id
}

export const storeDeletion = async (sql: Queries, id: number): Promise<void> => {
  await sql`UPDATE realm_exports SET deleted_at = now() WHERE id = ${id}`
}

/** Seconds for which one process has an export to itself. */
const leaseSeconds = 60

export interface ClaimedExport {
  readonly id: number
  readonly realm_id: number
  readonly export_type: ExportType
  readonly attempts: number
  readonly lease: string
  /** Where an attempt before left something. */
  readonly object_key: string | null
}

/** Exports that nobody works on. */
export const claimExports = (sql: Queries, most: number): Promise<ClaimedExport[]> =>
  sql<ClaimedExport[]>`
    UPDATE realm_exports SET attempts = attempts + 1, lease = gen_random_uuid(),
      due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE id IN (
      SELECT id FROM realm_exports WHERE due_at <= clock_timestamp()
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
    RETURNING id, realm_id, export_type, attempts, lease, object_key`

type Lease = Pick<ClaimedExport, 'id' | 'lease'>

/** @returns false when somebody else has it by now. */
export const extendLease = async (sql: Queries, { id, lease }: Lease): Promise<boolean> => {
  const kept = await sql`
    UPDATE realm_exports SET due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE id = ${id} AND lease = ${lease} AND due_at IS NOT NULL`
  return kept.count > 0
}

/** Where this attempt writes. @returns false when somebody else has it by now. */
export const storePlace = async (sql: Queries, { id, lease }: Lease, key: string): Promise<boolean> => {
  const stored = await sql`UPDATE realm_exports SET object_key = ${key} WHERE id = ${id} AND lease = ${lease}`
  return stored.count > 0
}

/** @returns false when somebody else has it by now. */
export const storeFinish = async (sql: Queries, { id, lease }: Lease, bytes: number): Promise<boolean> => {
  const stored = await sql`
    UPDATE realm_exports SET finished_at = now(), due_at = NULL, bytes = ${bytes}, error = NULL
    WHERE id = ${id} AND lease = ${lease} AND due_at IS NOT NULL`
  return stored.count > 0
}

/** @returns false when somebody else has it by now. */
export const storeFailure = async (
  sql: Queries,
  { id, lease }: Lease,
  error: string,
  /** Seconds until the next attempt; null when there is none. */
  pause: number | null,
): Promise<boolean> => {
  const stored = await sql`
    UPDATE realm_exports SET error = ${error.slice(0, 1000)},
      failed_at = CASE WHEN ${pause}::integer IS NULL THEN now() END,
      due_at = clock_timestamp() + make_interval(secs => ${pause}::integer)
    WHERE id = ${id} AND lease = ${lease} AND due_at IS NOT NULL`
  return stored.count > 0
}
