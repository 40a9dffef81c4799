import { refuse } from '@parley/contracts'
import {
  userGroupAddMembers,
  userGroupAddSubgroups,
  userGroupRemoveMembers,
  userGroupRemoveSubgroups,
} from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import type { Queries } from '../room.ts'
import { namedGroup } from './group-presentation.ts'
import {
  addMembers,
  addSubgroups,
  type GroupRow,
  groupsByIds,
  groupsContaining,
  removeMembers,
  removeSubgroups,
} from './group-store.ts'
import { demandActiveUsers } from './setting-values.ts'

export type GroupChangeEvents =
  | typeof userGroupAddMembers
  | typeof userGroupRemoveMembers
  | typeof userGroupAddSubgroups
  | typeof userGroupRemoveSubgroups

/** @throws ApiError BAD_REQUEST when one of `ids` cannot be in a group. */
export const demandSubgroups = async (
  sql: Queries,
  realmId: number,
  ids: readonly number[],
): Promise<void> => {
  const groups = await groupsByIds(sql, realmId, ids)
  for (const id of ids) {
    const group = groups.find((candidate) => candidate.id === id)
    if (group === undefined) throw refuse('BAD_REQUEST', `Invalid user group ID: ${id}`)
    if (group.deactivated) throw refuse('BAD_REQUEST', `User group '${group.name}' is deactivated.`)
    if (group.name === 'role:internet') {
      throw refuse('BAD_REQUEST', 'Whoever is not logged in cannot be in a group.')
    }
  }
}

/** @throws ApiError BAD_REQUEST when one is no active account, or is a member already. */
export const putMembers = async (
  tx: Tx<GroupChangeEvents>,
  group: GroupRow,
  ids: readonly number[],
): Promise<void> => {
  await demandActiveUsers(tx.sql, group.realm_id, ids)
  const present = ids.find((id) => group.member_ids.includes(id))
  if (present !== undefined) {
    throw refuse('BAD_REQUEST', `User ${present} is already a member of this group`)
  }
  await addMembers(tx.sql, group.id, ids)
  tx.emit(
    userGroupAddMembers,
    { realm: group.realm_id, everyone: true },
    { ...namedGroup(group), user_ids: [...ids] },
  )
}

/** @throws ApiError BAD_REQUEST when one is no member. */
export const takeMembers = async (
  tx: Tx<GroupChangeEvents>,
  group: GroupRow,
  ids: readonly number[],
): Promise<void> => {
  const absent = ids.find((id) => !group.member_ids.includes(id))
  if (absent !== undefined) throw refuse('BAD_REQUEST', `There is no member '${absent}' in this user group`)
  await removeMembers(tx.sql, group.id, ids)
  tx.emit(
    userGroupRemoveMembers,
    { realm: group.realm_id, everyone: true },
    { ...namedGroup(group), user_ids: [...ids] },
  )
}

/** @throws ApiError BAD_REQUEST when one cannot be in a group, is in it already, or contains it. */
export const putSubgroups = async (
  tx: Tx<GroupChangeEvents>,
  group: GroupRow,
  ids: readonly number[],
): Promise<void> => {
  await demandSubgroups(tx.sql, group.realm_id, ids)
  const present = ids.find((id) => group.subgroup_ids.includes(id))
  if (present !== undefined) {
    throw refuse('BAD_REQUEST', `User group ${present} is already a subgroup of this group.`)
  }
  const [around] = await groupsContaining(tx.sql, group.id, ids)
  if (around !== undefined) {
    throw refuse(
      'BAD_REQUEST',
      `User group ${group.id} is already a subgroup of one of the passed subgroups.`,
    )
  }
  await addSubgroups(tx.sql, group.id, ids)
  tx.emit(
    userGroupAddSubgroups,
    { realm: group.realm_id, everyone: true },
    { ...namedGroup(group), direct_subgroup_ids: [...ids] },
  )
}

/** @throws ApiError BAD_REQUEST when one is not in the group. */
export const takeSubgroups = async (
  tx: Tx<GroupChangeEvents>,
  group: GroupRow,
  ids: readonly number[],
): Promise<void> => {
  const absent = ids.find((id) => !group.subgroup_ids.includes(id))
  if (absent !== undefined) {
    throw refuse('BAD_REQUEST', `User group ${absent} is not a subgroup of this group.`)
  }
  await removeSubgroups(tx.sql, group.id, ids)
  tx.emit(
    userGroupRemoveSubgroups,
    { realm: group.realm_id, everyone: true },
    { ...namedGroup(group), direct_subgroup_ids: [...ids] },
  )
}
