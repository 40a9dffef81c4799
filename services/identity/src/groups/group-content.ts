import { type KnownCaller, refuse } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import { realmById } from '../realms/realm-store.ts'
import { demandChangeableGroup } from './demand-group.ts'
import { publishGroup } from './group-announcements.ts'
import {
  type GroupChangeEvents,
  putMembers,
  putSubgroups,
  takeMembers,
  takeSubgroups,
} from './group-changes.ts'
import { mayAddMembers, mayRemoveMembers } from './group-rules.ts'
import { changeGroup, lockGroups } from './group-store.ts'
import { permissionsOf } from './permissions.ts'

/** Who and what goes into a group, and out of it. */
export interface ContentWishes {
  readonly add?: readonly number[] | undefined
  readonly delete?: readonly number[] | undefined
  readonly add_subgroups?: readonly number[] | undefined
  readonly delete_subgroups?: readonly number[] | undefined
}

const unique = (ids: readonly number[] | undefined): number[] => [...new Set(ids ?? [])]

/**
 * Changes what is in a group: all of it, or nothing.
 *
 * @throws ApiError BAD_REQUEST
 */
export const changeContent = async (
  tx: Tx<GroupChangeEvents>,
  caller: KnownCaller,
  groupId: number,
  wishes: ContentWishes,
): Promise<void> => {
  const { sql } = tx
  const realmId = caller.realm.id
  const [add, remove] = [unique(wishes.add), unique(wishes.delete)]
  const [addGroups, removeGroups] = [unique(wishes.add_subgroups), unique(wishes.delete_subgroups)]
  if ([add, remove, addGroups, removeGroups].every((ids) => ids.length === 0)) {
    throw refuse('BAD_REQUEST', 'Nothing to do. Specify at least one of "add" or "delete".')
  }
  await lockGroups(sql, realmId)
  // A deactivated group can be got ready for its return (391).
  const group = await demandChangeableGroup(sql, realmId, groupId, { deactivated: true })
  const permissions = await permissionsOf(sql, realmId, caller.user.id)
  // Groups are never the caller alone.
  const someoneElse = -1
  const isAllowed =
    (add.length === 0 || mayAddMembers(permissions, group, caller.user.id, add)) &&
    (remove.length === 0 || mayRemoveMembers(permissions, group, caller.user.id, remove)) &&
    (addGroups.length === 0 || mayAddMembers(permissions, group, caller.user.id, [someoneElse])) &&
    (removeGroups.length === 0 || mayRemoveMembers(permissions, group, caller.user.id, [someoneElse]))
  if (!isAllowed) throw refuse('BAD_REQUEST', 'Insufficient permission')
  if (remove.length > 0) await takeMembers(tx, group, remove)
  if (add.length > 0) await putMembers(tx, group, add)
  if (removeGroups.length > 0) await takeSubgroups(tx, group, removeGroups)
  if (addGroups.length > 0) await putSubgroups(tx, group, addGroups)
  await changeGroup(sql, group.id, {})
  await publishGroup(tx, realmId, group.id, (await realmById(sql, realmId))!.system_groups)
}
