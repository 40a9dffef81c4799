import {
  setContentAccess as accessContract,
  exportForOperator as beginContract,
  showExport as showContract,
} from '@parley/contracts/identity/realm-data-questions'
import { demandRealm } from '../realms/demand-realm.ts'
import { publishRealm } from '../realms/realm-announcements.ts'
import { realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { type ExportRow, exportById, insertExport } from './export-store.ts'
import { storeFullContentAccess } from './full-content-access.ts'

const stateOf = (row: ExportRow) => {
  if (row.deleted_at !== null) return 'deleted'
  if (row.failed_at !== null) return 'failed'
  return row.finished_at === null ? 'pending' : 'finished'
}

const shown = (row: ExportRow) => ({
  export_id: row.id,
  realm_id: row.realm_id,
  export_type: row.export_type,
  state: stateOf(row) as ReturnType<typeof stateOf>,
  object_key: row.finished_at === null ? null : row.object_key,
  bytes: row.bytes,
  attempts: row.attempts,
  error: row.error,
})

export const exportForOperator = internal(beginContract, async ({ input, deps, transaction }) => {
  const { id: realm_id } = await demandRealm(deps.database.sql, input.realm)
  const row = await transaction(async ({ sql }) => {
    const { export_type } = input
    const id = await insertExport(sql, { realm_id, acting_user_id: null, export_type })
    return (await exportById(sql, id))!
  })
  deps.exporter.wake()
  return shown(row)
})

export const showExport = internal(showContract, async ({ input, deps, refuse }) => {
  const row = await exportById(deps.database.sql, input.export_id)
  if (row === undefined) throw refuse('BAD_REQUEST', 'There is no such export.')
  return shown(row)
})

export const setContentAccess = internal(accessContract, async ({ input, deps, transaction }) => {
  const { id } = await demandRealm(deps.database.sql, input.realm)
  await transaction(async (tx) => {
    await storeFullContentAccess(tx.sql, id, input.is_given)
    publishRealm(tx, (await realmById(tx.sql, id))!)
  })
  return { realm_id: id }
})
