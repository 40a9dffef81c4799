import { listUserGroupMembers as contract } from '@parley/contracts/identity/user-groups'
import { endpoint } from '../room.ts'
import { demandGroup } from './demand-group.ts'
import { activeMembers } from './group-membership.ts'

export const listUserGroupMembers = endpoint(contract, async ({ caller, params, deps }) => {
  const { sql } = deps.database
  const group = await demandGroup(sql, caller.realm.id, params.user_group_id)
  if (params.direct_member_only) return { members: group.active_member_ids }
  return { members: await activeMembers(sql, caller.realm.id, group.id) }
})
