import { realmDomainsChange } from '@parley/contracts/invitations/events'
import { updateRealmDomain as contract } from '@parley/contracts/invitations/realm-domains'
import { endpoint } from '../room.ts'
import { domainKey, suffixFinding } from './domain-rules.ts'
import { lockDomain, storeDomain } from './domain-store.ts'

export const updateRealmDomain = endpoint(contract, async ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    const found = await lockDomain(tx.sql, realmId, domainKey(params.domain))
    if (found === undefined) throw refuse('BAD_REQUEST', `No entry found for domain ${params.domain}.`)
    if (found.allow_subdomains === params.allow_subdomains) return {}
    const finding = suffixFinding(found.domain, params.allow_subdomains)
    if (finding !== undefined) throw refuse('BAD_REQUEST', `Invalid domain: ${finding}`)

    const realm_domain = { ...found, allow_subdomains: params.allow_subdomains }
    await storeDomain(tx.sql, realmId, realm_domain)
    tx.emit(realmDomainsChange, { realm: realmId, everyone: true }, { realm_domain })
    return {}
  }),
)
