import { realmUserGroupsSection as contract } from '@parley/contracts/identity/sections'
import { realmById } from '../realms/realm-store.ts'
import { section } from '../room.ts'
import { groupObject } from './group-presentation.ts'
import { groupsOfRealm } from './group-store.ts'

export const realmUserGroupsSection = section(contract, async ({ caller, options, sql }) => {
  const include_deactivated_groups = options.client_capabilities?.include_deactivated_groups ?? false
  const realm = await realmById(sql, caller.realm.id)
  const groups = await groupsOfRealm(sql, caller.realm.id, { include_deactivated_groups })
  return { realm_user_groups: groups.map((group) => groupObject(group, realm!.system_groups)) }
})
