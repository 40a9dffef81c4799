import type { GroupPermissionName } from '@parley/contracts/objects/user-group'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Queries } from '../room.ts'
import { shownSettings } from './shown-settings.ts'

type GroupSettings = Record<GroupPermissionName, GroupSettingValue>

/** One user group with what is in it directly. */
export interface GroupRow {
  readonly id: number
  readonly realm_id: number
  readonly name: string
  readonly description: string
  readonly creator_id: number | null
  /** UNIX seconds. */
  readonly date_created: number
  readonly is_system_group: boolean
  readonly deactivated: boolean
  /** Empty for system groups. */
  readonly settings: Partial<GroupSettings>
  /** The same without deactivated accounts. */
  readonly shown_settings: Partial<GroupSettings>
  /** Accounts that are stored as members; none for system groups. */
  readonly member_ids: number[]
  /** Active accounts, those that a role puts into a system group included. */
  readonly active_member_ids: number[]
  readonly subgroup_ids: number[]
  readonly version: number
}

/** Groups of an organization; `only` narrows the rows further. Who is in system groups is counted out once for all. */
const groups = async (sql: Queries, realmId: number, only: ReturnType<Queries>): Promise<GroupRow[]> => {
  const rows = await sql<Omit<GroupRow, 'shown_settings'>[]>`
    WITH by_role AS (
      SELECT direct_system_group(role, date_joined,
          coalesce((SELECT (settings ->> 'waiting_period_threshold')::integer FROM realms WHERE id = ${realmId}), 0)
        ) AS name, array_agg(id) AS ids
      FROM users WHERE realm_id = ${realmId} AND is_active GROUP BY 1)
    SELECT id, realm_id, user_groups.name, description, creator_id, extract(epoch FROM created_at)::bigint AS date_created,
      is_system_group, deactivated, settings, version,
      ARRAY(SELECT user_id FROM group_members WHERE group_id = user_groups.id ORDER BY user_id) AS member_ids,
      CASE WHEN is_system_group THEN coalesce(by_role.ids, '{}') ELSE ARRAY(
        SELECT users.id FROM group_members JOIN users ON users.id = user_id AND is_active
        WHERE group_id = user_groups.id) END AS active_member_ids,
      ARRAY(SELECT subgroup_id FROM group_subgroups WHERE group_id = user_groups.id ORDER BY subgroup_id) AS subgroup_ids
    FROM user_groups LEFT JOIN by_role ON is_system_group AND by_role.name = user_groups.name
    WHERE realm_id = ${realmId} ${only} ORDER BY id`
  const shown = await shownSettings(
    sql,
    rows.map(({ settings }) => settings),
  )
  return rows.map((row, place) => ({
    ...row,
    // Ten thousand names of roles are not to be sorted for it.
    active_member_ids: row.active_member_ids.toSorted((one, other) => one - other),
    shown_settings: shown[place]!,
  }))
}

export const groupsOfRealm = (
  sql: Queries,
  realmId: number,
  wishes: { include_deactivated_groups: boolean },
): Promise<GroupRow[]> =>
  groups(sql, realmId, wishes.include_deactivated_groups ? sql`` : sql`AND NOT deactivated`)

export const groupsByIds = async (
  sql: Queries,
  realmId: number,
  ids: readonly number[],
): Promise<GroupRow[]> =>
  ids.length === 0 ? [] : groups(sql, realmId, sql`AND id = ANY (${[...ids]}::bigint[])`)

/** Whatever the case. */
export const groupsByNames = async (
  sql: Queries,
  realmId: number,
  names: readonly string[],
): Promise<GroupRow[]> => {
  const sought = names.filter((name) => !name.includes('\0'))
  return sought.length === 0
    ? []
    : groups(
        sql,
        realmId,
        sql`AND lower(user_groups.name) IN (SELECT lower(n) FROM unnest(${sought}::text[]) AS n)`,
      )
}

/** Groups with a setting that names an account one by one; by ID. */
export const groupsNaming = (sql: Queries, realmId: number, userId: number): Promise<GroupRow[]> =>
  groups(
    sql,
    realmId,
    sql`AND jsonb_path_exists(settings, '$.*.direct_members[*] ? (@ == $id)', jsonb_build_object('id', ${userId}::bigint))`,
  )

/**
 * Until the end of the transaction nobody else changes groups or settings of the organization, so that a group cannot
 * come into use while it is deactivated, nor two groups into each other.
 */
export const lockGroups = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT FROM realms WHERE id = ${realmId} FOR NO KEY UPDATE`
}

export const isGroupNameUsed = async (
  sql: Queries,
  realmId: number,
  name: string,
  exceptId = 0,
): Promise<boolean> => {
  const used = await sql`
    SELECT FROM user_groups WHERE realm_id = ${realmId} AND lower(name) = lower(${name}) AND id <> ${exceptId}`
  return used.count > 0
}

export const insertGroup = async (
  sql: Queries,
  group: { realm_id: number; name: string; description: string; creator_id: number; settings: GroupSettings },
): Promise<number> => {
  const { settings, ...fields } = group
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO user_groups (realm_id, name, description, creator_id, settings, is_system_group)
    VALUES (${fields.realm_id}, ${fields.name}, ${fields.description}, ${fields.creator_id},
      ${JSON.stringify(settings)}::text::jsonb, false)
    RETURNING id`
  await sql`INSERT INTO group_closure (group_id, subgroup_id) VALUES (${made!.id}, ${made!.id})`
  return made!.id
}

export interface GroupChanges {
  name?: string
  description?: string
  deactivated?: boolean
  settings?: Partial<GroupSettings>
}

/** Changes a group, and in any case its version. */
export const changeGroup = async (sql: Queries, id: number, changes: GroupChanges): Promise<void> => {
  await sql`
    UPDATE user_groups SET
      name = coalesce(${changes.name ?? null}, name),
      description = coalesce(${changes.description ?? null}, description),
      deactivated = coalesce(${changes.deactivated ?? null}, deactivated),
      settings = settings || ${JSON.stringify(changes.settings ?? {})}::text::jsonb,
      version = version + 1
    WHERE id = ${id}`
}

export const addMembers = async (sql: Queries, groupId: number, ids: readonly number[]): Promise<void> => {
  await sql`INSERT INTO group_members (group_id, user_id) SELECT ${groupId}, unnest(${[...ids]}::bigint[])`
}

export const removeMembers = async (sql: Queries, groupId: number, ids: readonly number[]): Promise<void> => {
  await sql`DELETE FROM group_members WHERE group_id = ${groupId} AND user_id = ANY (${[...ids]}::bigint[])`
}

export const addSubgroups = async (sql: Queries, groupId: number, ids: readonly number[]): Promise<void> => {
  await sql`INSERT INTO group_subgroups (group_id, subgroup_id) SELECT ${groupId}, unnest(${[...ids]}::bigint[])`
  await refreshClosure(sql, groupId)
}

export const removeSubgroups = async (
  sql: Queries,
  groupId: number,
  ids: readonly number[],
): Promise<void> => {
  await sql`DELETE FROM group_subgroups WHERE group_id = ${groupId} AND subgroup_id = ANY (${[...ids]}::bigint[])`
  await refreshClosure(sql, groupId)
}

/** What a group reaches changed: written out anew for it and for all groups that it is in. */
const refreshClosure = async (sql: Queries, groupId: number): Promise<void> => {
  await sql`
    WITH RECURSIVE reached AS (
      SELECT group_id, group_id AS subgroup_id FROM group_closure WHERE subgroup_id = ${groupId}
      UNION
      SELECT reached.group_id, group_subgroups.subgroup_id
      FROM reached JOIN group_subgroups ON group_subgroups.group_id = reached.subgroup_id
    ), gone AS (
      DELETE FROM group_closure
      WHERE group_id IN (SELECT group_id FROM reached)
        AND NOT EXISTS (SELECT FROM reached
          WHERE reached.group_id = group_closure.group_id AND reached.subgroup_id = group_closure.subgroup_id)
    )
    INSERT INTO group_closure (group_id, subgroup_id) SELECT group_id, subgroup_id FROM reached
    ON CONFLICT DO NOTHING`
}

/** Those of `ids` that contain the group, however deep: it cannot become one of their containers. */
export const groupsContaining = async (
  sql: Queries,
  groupId: number,
  ids: readonly number[],
): Promise<number[]> => {
  const rows = await sql<{ group_id: number }[]>`
    SELECT group_id FROM group_closure
    WHERE subgroup_id = ${groupId} AND group_id = ANY (${[...ids]}::bigint[])`
  return rows.map(({ group_id }) => group_id)
}

/** Groups in a group, however deep, itself left out. */
export const groupsWithin = async (sql: Queries, groupId: number): Promise<number[]> => {
  const rows = await sql<{ subgroup_id: number }[]>`
    SELECT subgroup_id FROM group_closure
    WHERE group_id = ${groupId} AND subgroup_id <> ${groupId} ORDER BY subgroup_id`
  return rows.map(({ subgroup_id }) => subgroup_id)
}

/** Names of the settings that use the group, directly or as part of an anonymous group. */
const settingNames = (settings: Readonly<Record<string, unknown>>, groupId: number): string[] =>
  Object.keys(settings).filter((name) => {
    const value = settings[name] as GroupSettingValue | undefined
    return value === groupId || (typeof value === 'object' && value?.direct_subgroups?.includes(groupId))
  })

/** What of identity's own uses a group. */
export const usesOfGroup = async (sql: Queries, realmId: number, groupId: number) => {
  const [realm] = await sql<{ settings: Record<string, unknown> }[]>`
    SELECT coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(settings) WHERE key LIKE '%\_group' OR key LIKE 'can\_%'), '{}')
      AS settings FROM realms WHERE id = ${realmId}`
  const others = await sql<{ id: number; settings: Record<string, unknown>; contains: boolean }[]>`
    SELECT id, settings, EXISTS (
      SELECT FROM group_subgroups WHERE group_id = user_groups.id AND subgroup_id = ${groupId}) AS contains
    FROM user_groups WHERE realm_id = ${realmId} AND id <> ${groupId} ORDER BY id`
  return {
    realm: settingNames(realm!.settings, groupId),
    groups: others
      .map(({ id, settings }) => ({ group_id: id, settings: settingNames(settings, groupId) }))
      .filter(({ settings }) => settings.length > 0),
    supergroups: others.filter(({ contains }) => contains).map(({ id }) => id),
  }
}
