import { listExportConsents as contract } from '@parley/contracts/identity/realm-exports'
import { endpoint } from '../room.ts'
import { consentsOfRealm } from './consent-store.ts'

export const listExportConsents = endpoint(contract, async ({ caller, deps }) => ({
  export_consents: await consentsOfRealm(deps.database.sql, caller.realm.id),
}))
