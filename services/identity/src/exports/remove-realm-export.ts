import { removeRealmExport as contract } from '@parley/contracts/identity/realm-exports'
import { endpoint } from '../room.ts'
import { announceExports } from './export-announcements.ts'
import { removalFinding } from './export-rules.ts'
import { holdExport, storeDeletion } from './export-store.ts'

export const removeRealmExport = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  const realmId = caller.realm.id
  // Before anything is written: when the store is away, nothing is said to be deleted.
  const store = await deps.store()
  await transaction(async (tx) => {
    const row = await holdExport(tx.sql, realmId, params.export_id)
    if (row === undefined) throw refuse('BAD_REQUEST', 'Invalid data export ID')
    const finding = removalFinding(row)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await storeDeletion(tx.sql, row.id)
    await announceExports(tx, deps, realmId)
    // Deleting twice is no error, so a repeated transaction may do it again; a failed one leaves the row as it was.
    if (row.object_key !== null) await store.delete([row.object_key])
  })
  return {}
})
