import { getUserGroupMember as contract } from '@parley/contracts/identity/user-groups'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { demandGroup } from './demand-group.ts'
import { activeMembers } from './group-membership.ts'

export const getUserGroupMember = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const { sql } = deps.database
  const group = await demandGroup(sql, caller.realm.id, params.user_group_id)
  const user = await userById(sql, caller.realm.id, params.user_id)
  if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
  const members = params.direct_member_only
    ? group.active_member_ids
    : await activeMembers(sql, caller.realm.id, group.id, user.id)
  return { is_user_group_member: members.includes(user.id) }
})
