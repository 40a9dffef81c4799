import type { ArchiveManifest, IdShifts } from '@parley/contracts/realm-data'
import type { Queries } from '../room.ts'

type ImportStage = 'checking' | 'taking_in' | 'announcing' | 'done' | 'failed'

export interface ImportRow {
  readonly id: number
  readonly realm_id: number
  readonly archive_key: string
  readonly as_stubs: boolean
  readonly stage: ImportStage
  /** Bytes of the archive, or the last account that was announced. */
  readonly position: number
  readonly total: number
  readonly manifest: ArchiveManifest | null
  readonly shifts: IdShifts | null
  readonly attempts: number
  readonly error: string | null
  readonly lease: string | null
}

const columns = (sql: Queries) => sql`
  id, realm_id, archive_key, as_stubs, stage, position, total, manifest, shifts, attempts, error, lease`

export const insertImport = async (
  sql: Queries,
  wish: Pick<ImportRow, 'realm_id' | 'archive_key' | 'as_stubs' | 'total'>,
): Promise<ImportRow> => {
  const [made] = await sql<ImportRow[]>`INSERT INTO realm_imports ${sql(wish)} RETURNING ${columns(sql)}`
  return made!
}

export const importById = async (sql: Queries, id: number): Promise<ImportRow | undefined> => {
  const [row] = await sql<ImportRow[]>`SELECT ${columns(sql)} FROM realm_imports WHERE id = ${id}`
  return row
}

/** The import that made, or makes, the organization at a subdomain from an archive. */
export const importInto = async (
  sql: Queries,
  realmId: number,
  archiveKey: string,
): Promise<ImportRow | undefined> => {
  const [row] = await sql<ImportRow[]>`
    SELECT ${columns(sql)} FROM realm_imports WHERE realm_id = ${realmId} AND archive_key = ${archiveKey}`
  return row
}

export const isBeingImported = async (sql: Queries, realmId: number): Promise<boolean> => {
  const found = await sql`SELECT FROM realm_imports WHERE realm_id = ${realmId} AND stage <> 'done'`
  return found.count > 0
}

/** Seconds for which one process has an import to itself. */
const leaseSeconds = 120

export type ClaimedImport = ImportRow & { readonly lease: string }

export const claimImports = (sql: Queries, most: number): Promise<ClaimedImport[]> =>
  sql<ClaimedImport[]>`
    UPDATE realm_imports SET attempts = attempts + 1, lease = gen_random_uuid(),
      due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE id IN (
      SELECT id FROM realm_imports WHERE due_at <= clock_timestamp()
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
    RETURNING ${columns(sql)}`

type Lease = Pick<ClaimedImport, 'id' | 'lease'>

/** Stores how far it has come, and keeps the lease. @throws Error when somebody else has it by now. */
export const storeStep = async (
  sql: Queries,
  { id, lease }: Lease,
  step: { stage: ImportStage; position: number; manifest?: ArchiveManifest; shifts?: IdShifts },
): Promise<void> => {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
  const stored = await sql`
    UPDATE realm_imports SET stage = ${step.stage}, position = ${step.position},
      manifest = coalesce(${json(step.manifest)}::text::jsonb, manifest),
      shifts = coalesce(${json(step.shifts)}::text::jsonb, shifts),
      due_at = CASE WHEN ${step.stage} = 'done' THEN NULL
        ELSE clock_timestamp() + make_interval(secs => ${leaseSeconds}) END
    WHERE id = ${id} AND lease = ${lease} AND due_at IS NOT NULL`
  if (stored.count === 0) throw new Error('another process has taken over')
}

/** `pause`: seconds until the next attempt; null when there is none. */
export const storeImportFailure = async (
  sql: Queries,
  { id, realm_id, lease }: Lease & Pick<ClaimedImport, 'realm_id'>,
  error: string,
  pause: number | null,
): Promise<void> => {
  const stored = await sql`
    UPDATE realm_imports SET error = ${error.slice(0, 1000)},
      stage = CASE WHEN ${pause}::integer IS NULL THEN 'failed' ELSE stage END,
      due_at = clock_timestamp() + make_interval(secs => ${pause}::integer)
    WHERE id = ${id} AND lease = ${lease} AND due_at IS NOT NULL`
  if (stored.count === 0 || pause !== null) return
  // What came of it ends like any organization, and its subdomain is free again; first whoever waits is told.
  await sql`
    UPDATE realms SET deletion_due_at = now() + interval '1 minute' WHERE id = ${realm_id} AND NOT is_active`
}
