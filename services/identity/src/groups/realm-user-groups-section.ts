import type { SectionOptions } from '@parley/contracts'
import { realmUserGroupsSection as contract } from '@parley/contracts/identity/sections'
import { realmById } from '../realms/realm-store.ts'
import { type Queries, section } from '../room.ts'
import { groupObject } from './group-presentation.ts'
import { groupsOfRealm } from './group-store.ts'

const groupsOf = async (realmId: number, options: SectionOptions, sql: Queries) => {
  const include_deactivated_groups = options.client_capabilities?.include_deactivated_groups ?? false
  const realm = await realmById(sql, realmId)
  const groups = await groupsOfRealm(sql, realmId, { include_deactivated_groups })
  return groups.map((group) => groupObject(group, realm!.system_groups))
}

export const realmUserGroupsSection = section(
  contract,
  async ({ caller, options, sql }) => ({ realm_user_groups: await groupsOf(caller.realm.id, options, sql) }),
  // Messages mention groups by name; who is in them is nobody's business outside.
  async ({ realm, options, sql }) => ({
    realm_user_groups: (await groupsOf(realm.id, options, sql)).map((group) => ({ ...group, members: [] })),
  }),
)
