/** Copies of identity's user groups: who is in which, however deep. */
import type { GroupFact } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Realm } from '../directory/realm-store.ts'
import type { Queries } from '../room.ts'
import { weakestRoles } from './actor.ts'
import { realmSetting } from './realm-permissions.ts'

/** Takes one state of a group into the copy, unless a newer one is stored. */
export const saveGroup = async (sql: Queries, group: GroupFact): Promise<void> => {
  const taken = await sql`
    INSERT INTO user_groups (id, realm_id, name, is_system_group, is_active, can_mention_group, version)
    VALUES (${group.id}, ${group.realm_id}, ${group.name}, ${group.is_system_group}, ${group.is_active},
      ${JSON.stringify(group.can_mention_group)}::text::jsonb, ${group.version})
    ON CONFLICT (id) DO UPDATE SET
      name = excluded.name, is_active = excluded.is_active, can_mention_group = excluded.can_mention_group,
      version = excluded.version
    WHERE user_groups.version < excluded.version
    RETURNING id`
  if (taken.length === 0) return
  await sql`
    WITH gone AS (
      DELETE FROM group_members
      WHERE group_id = ${group.id} AND user_id <> ALL (${group.member_ids}::bigint[]))
    INSERT INTO group_members (group_id, user_id) SELECT ${group.id}, unnest(${group.member_ids}::bigint[])
    ON CONFLICT DO NOTHING`
  await sql`
    WITH gone AS (
      DELETE FROM group_subgroups
      WHERE group_id = ${group.id} AND subgroup_id <> ALL (${group.subgroup_ids}::bigint[]))
    INSERT INTO group_subgroups (group_id, subgroup_id) SELECT ${group.id}, unnest(${group.subgroup_ids}::bigint[])
    ON CONFLICT DO NOTHING`
}

/** Groups that an account is in, given the system groups that hold it; however deep. */
export const groupsHolding = async (
  sql: Queries,
  userId: number,
  systemGroupIds: readonly number[],
): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    WITH RECURSIVE holding AS (
      SELECT group_id AS id FROM group_members WHERE user_id = ${userId}
      UNION
      SELECT unnest(${[...systemGroupIds]}::bigint[])
      UNION
      SELECT s.group_id FROM holding h JOIN group_subgroups s ON s.subgroup_id = h.id
    ) SELECT id FROM holding`
  return rows.map(({ id }) => id)
}

/** What a setting's value has to know of a group. */
export type KnownGroup = Pick<GroupFact, 'id' | 'name' | 'is_system_group' | 'is_active'>

export const groupsByIds = (sql: Queries, realmId: number, ids: readonly number[]): Promise<KnownGroup[]> =>
  sql<KnownGroup[]>`
    SELECT id, name, is_system_group, is_active FROM user_groups
    WHERE realm_id = ${realmId} AND id = ANY (${[...ids]}::bigint[])`

/**
 * A condition on `users u`: that the account is named by one of some group-valued settings. To be put into a query of an
 * organization's users.
 */
export const isNamedBy = (sql: Queries, realm: Realm, values: readonly GroupSettingValue[]) => {
  const groupIds = values.flatMap((value) => (typeof value === 'number' ? [value] : value.direct_subgroups))
  const memberIds = values.flatMap((value) => (typeof value === 'number' ? [] : value.direct_members))
  const roles = weakestRoles(realm.system_groups)
  const days = realmSetting(realm, 'waiting_period_threshold')
  return sql`(
    u.id = ANY (${memberIds}::bigint[])
    OR EXISTS (
      WITH RECURSIVE reached AS (
        SELECT unnest(${groupIds}::bigint[]) AS id
        UNION
        SELECT s.subgroup_id FROM reached r JOIN group_subgroups s ON s.group_id = r.id
      )
      SELECT FROM reached r
      LEFT JOIN unnest(${roles.map((one) => one.group_id)}::bigint[], ${roles.map((one) => one.role)}::int[])
        AS system(id, role) ON system.id = r.id
      WHERE (u.role <= system.role AND (u.role < 400 OR system.id <> ${realm.system_groups['role:fullmembers']}
          OR ${days}::int = 0 OR u.date_joined <= now() - make_interval(days => ${days}::int)))
        OR EXISTS (SELECT FROM group_members m WHERE m.group_id = r.id AND m.user_id = u.id))
  )`
}
