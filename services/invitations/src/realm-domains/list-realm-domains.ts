import { listRealmDomains as contract } from '@parley/contracts/invitations/realm-domains'
import { endpoint } from '../room.ts'
import { domainsOfRealm } from './domain-store.ts'

export const listRealmDomains = endpoint(contract, async ({ caller, deps }) => ({
  domains: await domainsOfRealm(deps.database.sql, caller.realm.id),
}))
