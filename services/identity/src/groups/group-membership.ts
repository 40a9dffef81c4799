import { type Role, roles } from '@parley/contracts'
import { userGroupAddMembers, userGroupRemoveMembers } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import type { Queries } from '../room.ts'

/** Active accounts in a group, however deep; by ID. With `userId` only that one, if it is in it. */
export const activeMembers = async (
  sql: Queries,
  realmId: number,
  groupId: number,
  userId?: number,
): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    WITH within AS (
      SELECT user_groups.id, user_groups.name, is_system_group FROM group_closure
      JOIN user_groups ON user_groups.id = group_closure.subgroup_id
      WHERE group_closure.group_id = ${groupId}
    )
    SELECT users.id FROM users JOIN realms ON realms.id = users.realm_id
    WHERE users.realm_id = ${realmId} AND users.is_active ${userId === undefined ? sql`` : sql`AND users.id = ${userId}`}
      AND (
        users.id IN (SELECT user_id FROM group_members JOIN within ON within.id = group_members.group_id)
        OR direct_system_group(users.role, users.date_joined,
            coalesce((realms.settings ->> 'waiting_period_threshold')::integer, 0))
          IN (SELECT name FROM within WHERE is_system_group)
      )
    ORDER BY users.id`
  return rows.map(({ id }) => id)
}

/** The groups that hold an account directly, system groups left out; by ID. */
export const groupsOf = (sql: Queries, userId: number): Promise<{ id: number; deactivated: boolean }[]> =>
  sql<{ id: number; deactivated: boolean }[]>`
    SELECT id, deactivated FROM user_groups JOIN group_members ON group_id = id
    WHERE user_id = ${userId} ORDER BY id`

/** The system group that holds an account directly, or would if its role were `role`. */
export const systemGroupFor = async (sql: Queries, userId: number, role: Role): Promise<number> => {
  const [group] = await sql<{ id: number }[]>`
    SELECT user_groups.id FROM users
    JOIN realms ON realms.id = users.realm_id
    JOIN user_groups ON user_groups.realm_id = users.realm_id AND is_system_group
      AND user_groups.name = direct_system_group(${role}::smallint, users.date_joined,
        coalesce((realms.settings ->> 'waiting_period_threshold')::integer, 0))
    WHERE users.id = ${userId}`
  return group!.id
}

type MembershipEvents = typeof userGroupAddMembers | typeof userGroupRemoveMembers

/** Tells everyone that accounts went from one group to another. */
export const announceMoved = (
  tx: Tx<MembershipEvents>,
  realm: number,
  user_ids: number[],
  groups: { readonly left: number; readonly entered: number },
): void => {
  if (user_ids.length === 0 || groups.left === groups.entered) return
  const everyone = { realm, everyone: true } as const
  tx.emit(userGroupRemoveMembers, everyone, { group_id: groups.left, user_ids })
  tx.emit(userGroupAddMembers, everyone, { group_id: groups.entered, user_ids })
}

/** Members whom one waiting period makes full members and another one does not; by ID. */
export const membersBetween = async (
  sql: Queries,
  realmId: number,
  oneDays: number,
  otherDays: number,
): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM users
    WHERE realm_id = ${realmId} AND role = ${roles.member} AND is_active
      AND direct_system_group(role, date_joined, ${oneDays}::integer)
        <> direct_system_group(role, date_joined, ${otherDays}::integer)
    ORDER BY id`
  return rows.map(({ id }) => id)
}
