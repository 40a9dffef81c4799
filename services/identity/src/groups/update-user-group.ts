import { userGroupUpdate } from '@parley/contracts/identity/events'
import { groupPermissions } from '@parley/contracts/identity/permission-settings'
import { updateUserGroup as contract } from '@parley/contracts/identity/user-groups'
import { type GroupPermissionName, groupPermissionFields } from '@parley/contracts/objects/user-group'
import { realmById } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { demandChangeableGroup } from './demand-group.ts'
import { publishGroup } from './group-announcements.ts'
import { groupObject } from './group-presentation.ts'
import { groupDescriptionFinding, groupNameFinding, mayManageGroup } from './group-rules.ts'
import { changeGroup, type GroupChanges, isGroupNameUsed, lockGroups } from './group-store.ts'
import { permissionsOf } from './permissions.ts'
import { demandSettingValue, sameSetting } from './setting-values.ts'

const names = Object.keys(groupPermissionFields) as GroupPermissionName[]

export const updateUserGroup = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const realmId = caller.realm.id
    await lockGroups(sql, realmId)
    const group = await demandChangeableGroup(sql, realmId, params.user_group_id, { deactivated: true })
    if (!mayManageGroup(await permissionsOf(sql, realmId, caller.user.id), group)) {
      throw refuse('BAD_REQUEST', 'Insufficient permission')
    }
    const realm = (await realmById(sql, realmId))!
    const changes: GroupChanges = {}

    const name = params.name?.trim()
    if (name !== undefined && name !== group.name) {
      const finding = groupNameFinding(name)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      if (await isGroupNameUsed(sql, realmId, name, group.id)) {
        throw refuse('BAD_REQUEST', `User group '${name}' already exists.`)
      }
      changes.name = name
    }
    const description = params.description?.trim()
    if (description !== undefined && description !== group.description) {
      const finding = groupDescriptionFinding(description)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      changes.description = description
    }
    if (params.deactivated === false && group.deactivated) changes.deactivated = false

    const settings: GroupChanges['settings'] = {}
    for (const setting of names) {
      const update = params[setting]
      if (update === undefined) continue
      const current = group.shown_settings[setting]!
      if (update.old !== undefined && !sameSetting(update.old, current)) {
        throw refuse('EXPECTATION_MISMATCH', "'old' value does not match the expected value.")
      }
      const value = await demandSettingValue(sql, realm, setting, groupPermissions[setting], update.new)
      if (!sameSetting(value, current)) settings[setting] = value
    }
    if (Object.keys(settings).length > 0) changes.settings = settings
    if (Object.keys(changes).length === 0) return {}

    await changeGroup(sql, group.id, changes)
    const after = await publishGroup(tx, realmId, group.id, realm.system_groups)
    const { settings: changedSettings, ...plain } = changes
    tx.emit(
      userGroupUpdate,
      { realm: realmId, everyone: true },
      {
        group_id: group.id,
        data: { ...plain, ...changedSettings },
        group: groupObject(after, realm.system_groups),
      },
    )
    return {}
  }),
)
