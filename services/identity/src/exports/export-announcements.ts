import { roles } from '@parley/contracts'
import { realmExport } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { type ExportViewer, shownExports } from './export-presentation.ts'
import { exportsOfRealm } from './export-store.ts'

/** Tells administrators how exports are now, each with addresses of their own. To be called after every change of one. */
export const announceExports = async (
  tx: Tx<typeof realmExport>,
  deps: Pick<Deps, 'publicUrl' | 'exportLinks'>,
  realmId: number,
): Promise<void> => {
  const { sql } = tx
  // All exports are told at once: one change after the other, so that the last that is told holds every change before it.
  await lockAccounts(sql, realmId)
  const viewers = await sql<ExportViewer[]>`
    SELECT id, role FROM users WHERE realm_id = ${realmId} AND is_active AND role <= ${roles.administrator}
    ORDER BY id`
  const { subdomain } = (await realmById(sql, realmId))!
  const rows = await exportsOfRealm(sql, realmId)
  const shown = (viewer: ExportViewer) =>
    shownExports(rows, viewer, { links: deps.exportLinks, publicUrl: deps.publicUrl, subdomain })
  for (const viewer of viewers) {
    tx.emit(realmExport, { realm: realmId, users: [viewer.id] }, { exports: shown(viewer) })
  }
}
