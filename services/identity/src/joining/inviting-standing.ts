import { roles } from '@parley/contracts'
import { invitingStanding as contract } from '@parley/contracts/identity/joining'
import { realmPermissionNames } from '@parley/contracts/identity/permission-settings'
import { mayAddMembers } from '../groups/group-rules.ts'
import { type GroupRow, groupsByIds } from '../groups/group-store.ts'
import { type Permissions, permissionsOf } from '../groups/permissions.ts'
import { realmById } from '../realms/realm-store.ts'
import { internal, type Queries } from '../room.ts'
import { userById } from '../users/user-store.ts'

/** Nobody's ID: whoever is invited is somebody else than the account. */
const newcomer = -1

const administratorIds = async (sql: Queries, realmId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM users
    WHERE realm_id = ${realmId} AND is_active AND role <= ${roles.administrator} AND bot_type IS NULL ORDER BY id`
  return rows.map(({ id }) => id)
}

const reasonAgainst = (permissions: Permissions, group: GroupRow | undefined): string | undefined => {
  if (group === undefined) return 'Invalid user group'
  if (group.is_system_group) return 'Insufficient permission'
  if (group.deactivated) return 'User group is deactivated.'
  return mayAddMembers(permissions, group, newcomer, [newcomer]) ? undefined : 'Insufficient permission'
}

export const invitingStanding = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const { realm_id, user_id } = input
  const realm = await realmById(sql, realm_id)
  if (realm === undefined) {
    return { realm_is_active: false, account: null, refused_groups: [], administrator_ids: [] }
  }
  const administrator_ids = await administratorIds(sql, realm_id)
  const user = await userById(sql, realm_id, user_id)
  if (!user?.is_active) {
    return { realm_is_active: realm.is_active, account: null, refused_groups: [], administrator_ids }
  }
  const permissions = await permissionsOf(sql, realm_id, user_id)
  const groups = new Map(
    (await groupsByIds(sql, realm_id, input.group_ids)).map((group) => [group.id, group] as const),
  )
  return {
    realm_is_active: realm.is_active,
    account: {
      role: user.role,
      full_name: user.full_name,
      delivery_email: user.delivery_email,
      allowed: realmPermissionNames.filter(permissions.may),
    },
    refused_groups: input.group_ids.flatMap((id) => {
      const reason = reasonAgainst(permissions, groups.get(id))
      return reason === undefined ? [] : [{ id, reason }]
    }),
    administrator_ids,
  }
})
