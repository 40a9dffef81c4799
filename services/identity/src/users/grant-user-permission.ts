import { grantUserPermission as contract } from '@parley/contracts/identity/internals'
import { demandRealm } from '../realms/demand-realm.ts'
import { internal } from '../room.ts'
import { demandAccount } from './demand-account.ts'

export const grantUserPermission = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const realm = await demandRealm(sql, input.realm)
  const { id } = await demandAccount(sql, realm.id, input.email)
  await sql`UPDATE users SET ${sql({ [input.permission]: input.is_granted })} WHERE id = ${id}`
  return { user_id: id }
})
