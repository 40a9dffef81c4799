/** What becomes of wishes about exports; no I/O. */
import { type Caller, isAtLeast } from '@parley/contracts'
import type { ExportType } from '@parley/contracts/objects/realm-export'
import type { ExportRow } from './export-store.ts'

/** Everything that was ever written, also what is private, is for owners. */
const least = (type: ExportType) => (type === 'full_without_consent' ? 'owner' : 'administrator')

type Viewer = NonNullable<Caller['user']>

/** Whether somebody may have, or ask for, an export of a type. */
export const mayHaveExport = (viewer: Pick<Viewer, 'role'>, type: ExportType): boolean =>
  isAtLeast(viewer as Viewer, least(type))

/** Whether there is an archive that can be downloaded. */
export const hasArchive = (row: Omit<ExportRow, 'requested_at'>): boolean =>
  row.finished_at !== null && row.deleted_at === null && !row.from_prior_server && row.object_key !== null

/** Why an export cannot be deleted, as a sentence; undefined when it can. */
export const removalFinding = (row: ExportRow): string | undefined => {
  // What stayed on another server is as good as deleted here (level 506).
  if (row.deleted_at !== null || row.from_prior_server) return 'Export already deleted'
  if (row.failed_at !== null) return 'Export failed, nothing to delete'
  return row.finished_at === null ? 'Export still in progress' : undefined
}
