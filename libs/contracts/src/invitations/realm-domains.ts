import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { RealmDomain } from '../objects/realm-domain.ts'
import { Id } from '../objects/values.ts'
import { realmDomainsAdd, realmDomainsChange, realmDomainsRemove } from './events.ts'

export const listRealmDomains = endpoint({
  method: 'GET',
  path: '/realm/domains',
  service: 'invitations',
  summary: 'The e-mail domains that the organization allows.',
  access: 'authenticated',
  params: {},
  reply: { domains: z.array(RealmDomain) },
})

export const addRealmDomain = endpoint({
  method: 'POST',
  path: '/realm/domains',
  service: 'invitations',
  summary: 'Allow an e-mail domain.',
  access: 'owner',
  params: { domain: z.string(), allow_subdomains: z.boolean() },
  /** The new domain's ID, and the domain as submitted. */
  reply: { new_domain: z.tuple([Id, z.string()]) },
  emits: [realmDomainsAdd],
})

export const updateRealmDomain = endpoint({
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  service: 'invitations',
  summary: "Change whether an allowed e-mail domain's subdomains are allowed too.",
  access: 'owner',
  params: { domain: z.string(), allow_subdomains: z.boolean() },
  reply: {},
  emits: [realmDomainsChange],
})

export const removeRealmDomain = endpoint({
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  service: 'invitations',
  summary: 'Allow an e-mail domain no longer.',
  access: 'owner',
  params: { domain: z.string() },
  reply: {},
  emits: [realmDomainsRemove],
})
