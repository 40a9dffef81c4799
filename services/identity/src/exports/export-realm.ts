import { exportRealm as contract } from '@parley/contracts/identity/realm-exports'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { announceExports } from './export-announcements.ts'
import { exportsThisWeek, insertExport } from './export-store.ts'
import { hasFullContentAccess } from './full-content-access.ts'

export const exportRealm = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  const { export_type } = params
  const realm_id = caller.realm.id
  const id = await transaction(async (tx) => {
    await lockAccounts(tx.sql, realm_id)
    const isEverything = export_type === 'full_without_consent'
    await actingUser(tx.sql, caller, isEverything ? 'owner' : 'administrator')
    if (isEverything && !(await hasFullContentAccess(tx.sql, realm_id))) {
      throw refuse('BAD_REQUEST', 'Owners of this organization have no access to all of its content.')
    }
    const { exportsPerWeek } = deps
    if (exportsPerWeek !== null && (await exportsThisWeek(tx.sql, realm_id)) >= exportsPerWeek) {
      throw refuse('BAD_REQUEST', 'Exceeded rate limit.')
    }
    const made = await insertExport(tx.sql, { realm_id, acting_user_id: caller.user.id, export_type })
    await announceExports(tx, deps, realm_id)
    return made
  })
  deps.exporter.wake()
  return { id }
})
