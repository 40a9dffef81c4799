import { channelsUsingGroup } from '@parley/contracts/channels/internals'
import { userGroupUpdate } from '@parley/contracts/identity/events'
import { deactivateUserGroup as contract } from '@parley/contracts/identity/user-groups'
import { realmById } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { demandChangeableGroup } from './demand-group.ts'
import { publishGroup } from './group-announcements.ts'
import { groupObject } from './group-presentation.ts'
import { mayManageGroup } from './group-rules.ts'
import { changeGroup, lockGroups, usesOfGroup } from './group-store.ts'
import { permissionsOf } from './permissions.ts'

export const deactivateUserGroup = endpoint(
  contract,
  async ({ caller, params, deps, transaction, refuse }) => {
    const realmId = caller.realm.id
    const demand = async (sql: Parameters<typeof permissionsOf>[0]) => {
      const group = await demandChangeableGroup(sql, realmId, params.user_group_id)
      if (!mayManageGroup(await permissionsOf(sql, realmId, caller.user.id), group)) {
        throw refuse('BAD_REQUEST', 'Insufficient permission')
      }
      return group
    }
    const { id } = await demand(deps.database.sql)
    const { channels } = await deps.ask(channelsUsingGroup, { realm_id: realmId, group_id: id })

    return transaction(async (tx) => {
      const { sql } = tx
      await lockGroups(sql, realmId)
      await demand(sql)
      const uses = await usesOfGroup(sql, realmId, id)
      const objections = [
        ...(uses.realm.length > 0 ? [{ type: 'realm' as const, settings: uses.realm }] : []),
        ...(uses.supergroups.length > 0
          ? [{ type: 'subgroup' as const, supergroup_ids: uses.supergroups }]
          : []),
        ...channels.map((channel) => ({ type: 'channel' as const, ...channel })),
        ...uses.groups.map((group) => ({ type: 'user_group' as const, ...group })),
      ]
      if (objections.length > 0) {
        throw refuse('CANNOT_DEACTIVATE_GROUP_IN_USE', 'Cannot deactivate user group in use.', { objections })
      }
      await changeGroup(sql, id, { deactivated: true })
      const { system_groups } = (await realmById(sql, realmId))!
      const group = await publishGroup(tx, realmId, id, system_groups)
      tx.emit(
        userGroupUpdate,
        { realm: realmId, everyone: true },
        { group_id: id, data: { deactivated: true }, group: groupObject(group, system_groups) },
      )
      return {}
    })
  },
)
