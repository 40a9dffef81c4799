import { listUserGroupSubgroups as contract } from '@parley/contracts/identity/user-groups'
import { endpoint } from '../room.ts'
import { demandGroup } from './demand-group.ts'
import { groupsWithin } from './group-store.ts'

export const listUserGroupSubgroups = endpoint(contract, async ({ caller, params, deps }) => {
  const { sql } = deps.database
  const group = await demandGroup(sql, caller.realm.id, params.user_group_id)
  return {
    subgroups: params.direct_subgroup_only ? group.subgroup_ids : await groupsWithin(sql, group.id),
  }
})
