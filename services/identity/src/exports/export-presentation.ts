import type { RealmExport } from '@parley/contracts/objects/realm-export'
import { realmUrl } from '../realms/realm-address.ts'
import type { Deps } from '../room.ts'
import { hasArchive, mayHaveExport } from './export-rules.ts'
import type { ExportRow } from './export-store.ts'

/** Who looks: an administrator. */
export interface ExportViewer {
  readonly id: number
  readonly role: number
}

export const archiveName = (subdomain: string, id: number): string =>
  `${subdomain === '' ? 'organization' : subdomain}-export-${id}.tar`

/** Exports as one administrator sees them: the addresses are for nobody else. */
export const shownExports = (
  rows: readonly ExportRow[],
  viewer: ExportViewer,
  {
    links,
    publicUrl,
    subdomain,
  }: Pick<Deps, 'publicUrl'> & { links: Deps['exportLinks']; subdomain: string },
): RealmExport[] =>
  rows.map((row) => {
    const isOffered = hasArchive(row) && mayHaveExport(viewer as never, row.export_type)
    const token = isOffered ? links.issue({ exportId: row.id, userId: viewer.id }) : undefined
    return {
      id: row.id,
      acting_user_id: row.acting_user_id!,
      export_time: row.requested_at,
      deleted_timestamp: row.deleted_at,
      failed_timestamp: row.failed_at,
      export_url:
        token === undefined
          ? null
          : `${realmUrl(publicUrl, subdomain)}/exports/${token}/${archiveName(subdomain, row.id)}`,
      pending: row.finished_at === null && row.failed_at === null,
      export_type: row.export_type,
      export_from_prior_server: row.from_prior_server,
    }
  })
