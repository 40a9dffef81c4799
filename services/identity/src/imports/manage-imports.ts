import {
  beginImport as beginContract,
  showImport as showContract,
} from '@parley/contracts/identity/realm-data-questions'
import { isSubdomain } from '../realms/realm-rules.ts'
import { insertRealm, realmBySubdomain } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { type ImportRow, importById, importInto, insertImport } from './import-store.ts'

const shown = ({ id, realm_id, stage, position, total, attempts, error }: ImportRow) => ({
  import_id: id,
  realm_id,
  stage,
  position,
  total,
  attempts,
  error,
})

export const beginImport = internal(beginContract, async ({ input, deps, transaction, refuse }) => {
  const subdomain = input.subdomain.trim().toLowerCase()
  if (!isSubdomain(subdomain)) throw refuse('BAD_REQUEST', `'${subdomain}' cannot be a subdomain.`)
  const { archive_key, as_stubs } = input
  const facts = await (await deps.store()).facts(archive_key)
  if (facts === undefined) throw refuse('BAD_REQUEST', 'There is no such archive in the object store.')
  const row = await transaction(async (tx) => {
    const { sql } = tx
    // Not active until all of it is there; system groups are in the archive.
    const realm_id = await insertRealm(sql, { subdomain, name: subdomain })
    if (realm_id === undefined) {
      const there = await realmBySubdomain(sql, subdomain)
      const begun = there && (await importInto(sql, there.id, archive_key))
      if (begun !== undefined) return begun
      throw refuse('BAD_REQUEST', `There is already an organization at subdomain '${subdomain}'.`)
    }
    await sql`UPDATE realms SET is_active = false, deactivated_at = now() WHERE id = ${realm_id}`
    return insertImport(sql, { realm_id, archive_key, as_stubs, total: facts.size })
  })
  deps.importer.wake()
  return shown(row)
})

export const showImport = internal(showContract, async ({ input, deps, refuse }) => {
  const row = await importById(deps.database.sql, input.import_id)
  if (row === undefined) throw refuse('BAD_REQUEST', 'There is no such import.')
  return shown(row)
})
