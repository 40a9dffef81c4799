import { userGroupAdd } from '@parley/contracts/identity/events'
import { groupPermissions } from '@parley/contracts/identity/permission-settings'
import { createUserGroup as contract } from '@parley/contracts/identity/user-groups'
import { type GroupPermissionName, groupPermissionFields } from '@parley/contracts/objects/user-group'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import { realmById } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { publishGroup } from './group-announcements.ts'
import { demandSubgroups } from './group-changes.ts'
import { groupObject } from './group-presentation.ts'
import { groupDescriptionFinding, groupNameFinding } from './group-rules.ts'
import { addMembers, addSubgroups, insertGroup, isGroupNameUsed, lockGroups } from './group-store.ts'
import { permissionsOf } from './permissions.ts'
import { demandActiveUsers, demandSettingValue } from './setting-values.ts'

const names = Object.keys(groupPermissionFields) as GroupPermissionName[]

export const createUserGroup = endpoint(contract, async ({ caller, params, transaction, refuse }) => {
  const name = params.name.trim()
  const description = params.description.trim()
  const finding = groupNameFinding(name) ?? groupDescriptionFinding(description)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  const realmId = caller.realm.id
  const self = caller.user.id

  return transaction(async (tx) => {
    const { sql } = tx
    await lockGroups(sql, realmId)
    const { may } = await permissionsOf(sql, realmId, self)
    if (!may('can_create_groups')) throw refuse('BAD_REQUEST', 'Insufficient permission')
    if (await isGroupNameUsed(sql, realmId, name)) {
      throw refuse('BAD_REQUEST', `User group '${name}' already exists.`)
    }
    const realm = (await realmById(sql, realmId))!
    const settings: Partial<Record<GroupPermissionName, GroupSettingValue>> = {}
    for (const setting of names) {
      const { default_group_name: standard } = groupPermissions[setting]
      const sent = params[setting]
      if (sent !== undefined) {
        settings[setting] = await demandSettingValue(sql, realm, setting, groupPermissions[setting], sent)
      } else if (standard === 'group_creator') {
        settings[setting] = { direct_members: [self], direct_subgroups: [] }
      } else {
        settings[setting] = realm.system_groups[standard]
      }
    }
    const members = [...new Set(params.members)]
    const subgroups = [...new Set(params.subgroups ?? [])]
    await demandActiveUsers(sql, realmId, members)
    await demandSubgroups(sql, realmId, subgroups)
    const id = await insertGroup(sql, {
      realm_id: realmId,
      name,
      description,
      creator_id: self,
      settings: settings as Record<GroupPermissionName, GroupSettingValue>,
    })
    await addMembers(sql, id, members)
    if (subgroups.length > 0) await addSubgroups(sql, id, subgroups)
    const group = await publishGroup(tx, realmId, id, realm.system_groups)
    tx.emit(
      userGroupAdd,
      { realm: realmId, everyone: true },
      { group: groupObject(group, realm.system_groups) },
    )
    return { group_id: id }
  })
})
