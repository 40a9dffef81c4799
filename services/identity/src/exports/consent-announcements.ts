import { roles } from '@parley/contracts'
import { realmExportConsent } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'

/** Tells administrators who agreed to the export of their private data, or does not any more. */
export const announceConsents = async (
  tx: Tx<typeof realmExportConsent>,
  realm: number,
  changed: readonly { readonly user_id: number; readonly consented: boolean }[],
): Promise<void> => {
  if (changed.length === 0) return
  const viewers = await tx.sql<{ id: number }[]>`
    SELECT id FROM users WHERE realm_id = ${realm} AND is_active AND role <= ${roles.administrator} ORDER BY id`
  if (viewers.length === 0) return
  const users = viewers.map(({ id }) => id)
  for (const consent of changed) tx.emit(realmExportConsent, { realm, users }, consent)
}
