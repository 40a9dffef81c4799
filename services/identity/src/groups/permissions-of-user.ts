import { permissionsOfUser as contract } from '@parley/contracts/identity/permission-questions'
import { realmPermissionNames } from '@parley/contracts/identity/permission-settings'
import { internal } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { permissionsOf } from './permissions.ts'

/** An account that is not there, or not active, may nothing. */
export const permissionsOfUser = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const user = await userById(sql, input.realm_id, input.user_id)
  if (!user?.is_active) return { allowed: [], group_ids: [] }
  const { may, groups } = await permissionsOf(sql, input.realm_id, user.id)
  return { allowed: realmPermissionNames.filter(may), group_ids: [...groups].sort((a, b) => a - b) }
})
