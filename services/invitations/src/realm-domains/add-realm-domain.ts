import { realmDomainsAdd } from '@parley/contracts/invitations/events'
import { addRealmDomain as contract } from '@parley/contracts/invitations/realm-domains'
import { endpoint } from '../room.ts'
import { domainFinding, domainKey } from './domain-rules.ts'
import { insertDomain } from './domain-store.ts'

export const addRealmDomain = endpoint(contract, async ({ caller, params, transaction, refuse }) => {
  const realm_domain = { domain: domainKey(params.domain), allow_subdomains: params.allow_subdomains }
  const finding = domainFinding(realm_domain.domain, realm_domain.allow_subdomains)
  if (finding !== undefined) throw refuse('BAD_REQUEST', `Invalid domain: ${finding}`)

  return transaction(async (tx) => {
    const id = await insertDomain(tx.sql, caller.realm.id, realm_domain)
    if (id === undefined) {
      throw refuse('BAD_REQUEST', `The domain ${realm_domain.domain} is already a part of your organization.`)
    }
    tx.emit(realmDomainsAdd, { realm: caller.realm.id, everyone: true }, { realm_domain })
    return { new_domain: [id, params.domain] }
  })
})
