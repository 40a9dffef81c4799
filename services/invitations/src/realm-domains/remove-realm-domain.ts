import { realmDomainsRemove } from '@parley/contracts/invitations/events'
import { removeRealmDomain as contract } from '@parley/contracts/invitations/realm-domains'
import { endpoint } from '../room.ts'
import { domainKey } from './domain-rules.ts'
import { deleteDomain } from './domain-store.ts'

export const removeRealmDomain = endpoint(contract, async ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const domain = domainKey(params.domain)
    if (!(await deleteDomain(tx.sql, caller.realm.id, domain))) {
      throw refuse('BAD_REQUEST', `No entry found for domain ${params.domain}.`)
    }
    tx.emit(realmDomainsRemove, { realm: caller.realm.id, everyone: true }, { domain })
    return {}
  }),
)
