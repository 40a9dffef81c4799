import { listRealmExports as contract } from '@parley/contracts/identity/realm-exports'
import { endpoint } from '../room.ts'
import { shownExports } from './export-presentation.ts'
import { exportsOfRealm } from './export-store.ts'

export const listRealmExports = endpoint(contract, async ({ caller, deps }) => {
  const rows = await exportsOfRealm(deps.database.sql, caller.realm.id)
  const { subdomain } = caller.realm
  const { publicUrl, exportLinks: links } = deps
  return { exports: shownExports(rows, caller.user, { links, publicUrl, subdomain }) }
})
