import { type RealmPermissionName, realmPermissions } from '@parley/contracts/identity/permission-settings'
import type { RealmFact } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Queries } from '../room.ts'

/** What one account may do by the groups that it is in. */
export interface Permissions {
  /** IDs of the groups that the account is in, however deep. */
  readonly groups: ReadonlySet<number>
  /** Whether a group-valued setting names the account. */
  includes(value: GroupSettingValue): boolean
  /** Whether the organization's setting lets the account do this. */
  may(name: RealmPermissionName): boolean
}

interface Standing {
  readonly settings: Partial<Record<RealmPermissionName, GroupSettingValue>>
  readonly system_groups: RealmFact['system_groups']
  readonly groups: number[]
}

/** Groups that an account is in, however deep: one index look-up in the closure per group that holds it directly. */
const groupsHolding = (sql: Queries, userId: number) => sql`
  SELECT DISTINCT group_closure.group_id
  FROM (
    SELECT group_id FROM group_members WHERE user_id = ${userId}
    UNION ALL
    SELECT user_groups.id FROM users
    JOIN realms ON realms.id = users.realm_id
    JOIN user_groups ON user_groups.realm_id = users.realm_id AND user_groups.is_system_group
      AND user_groups.name = direct_system_group(
        users.role, users.date_joined, coalesce((realms.settings ->> 'waiting_period_threshold')::integer, 0))
    WHERE users.id = ${userId}
  ) AS direct
  JOIN group_closure ON group_closure.subgroup_id = direct.group_id`

/** Reads what is needed to decide about an account; one query, whatever is asked of the answer. */
export const permissionsOf = async (sql: Queries, realmId: number, userId: number): Promise<Permissions> => {
  const [standing] = await sql<Standing[]>`
    SELECT settings,
      (SELECT jsonb_object_agg(name, id) FROM user_groups
       WHERE realm_id = realms.id AND is_system_group) AS system_groups,
      to_jsonb(ARRAY(${groupsHolding(sql, userId)})) AS groups
    FROM realms WHERE id = ${realmId}`
  const { settings, system_groups, groups } = standing!
  const holding = new Set(groups)
  const includes = (value: GroupSettingValue): boolean =>
    typeof value === 'number'
      ? holding.has(value)
      : value.direct_members.includes(userId) || value.direct_subgroups.some((group) => holding.has(group))
  return {
    groups: holding,
    includes,
    may: (name) => includes(settings[name] ?? system_groups[realmPermissions[name].default_group_name]),
  }
}
