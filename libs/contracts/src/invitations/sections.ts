import { z } from 'zod'
import { RealmDomain } from '../objects/realm-domain.ts'
import { section } from '../section.ts'

export const realmDomainsSection = section({
  service: 'invitations',
  name: 'realm_domains',
  fields: { realm_domains: z.array(RealmDomain) },
})
