import { serviceContract } from '../contract.ts'
import * as realmDomains from './realm-domains.ts'
import * as sections from './sections.ts'

export const invitations = serviceContract('invitations', {
  endpoints: { ...realmDomains },
  internals: {},
  sections,
})
