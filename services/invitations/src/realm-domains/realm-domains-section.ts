import { realmDomainsSection as contract } from '@parley/contracts/invitations/sections'
import { section } from '../room.ts'
import { domainsOfRealm } from './domain-store.ts'

export const realmDomainsSection = section(
  contract,
  async ({ caller, sql }) => ({ realm_domains: await domainsOfRealm(sql, caller.realm.id) }),
  async ({ realm, sql }) => ({ realm_domains: await domainsOfRealm(sql, realm.id) }),
)
