import { z } from 'zod'
import { event } from '../event.ts'
import { RealmDomain } from '../objects/realm-domain.ts'

/** Invitations were made, used or ended: administrators and the inviter are told to look again. */
export const invitesChanged = event({ type: 'invites_changed', fields: {} })

export const realmDomainsAdd = event({
  type: 'realm_domains',
  op: 'add',
  fields: { realm_domain: RealmDomain },
})

export const realmDomainsChange = event({
  type: 'realm_domains',
  op: 'change',
  fields: { realm_domain: RealmDomain },
})

export const realmDomainsRemove = event({
  type: 'realm_domains',
  op: 'remove',
  fields: { domain: z.string() },
})
