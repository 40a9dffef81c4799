import { listUserGroups as contract } from '@parley/contracts/identity/user-groups'
import { realmById } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { groupObject } from './group-presentation.ts'
import { groupsOfRealm } from './group-store.ts'

export const listUserGroups = endpoint(contract, async ({ caller, params, deps }) => {
  const { sql } = deps.database
  const [realm, groups] = await Promise.all([
    realmById(sql, caller.realm.id),
    groupsOfRealm(sql, caller.realm.id, params),
  ])
  return { user_groups: groups.map((group) => groupObject(group, realm!.system_groups)) }
})
