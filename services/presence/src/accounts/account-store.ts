import { roles } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

export const saveAccount = async (
  sql: Queries,
  { id, realm_id, is_active, role }: Pick<UserFact, 'id' | 'realm_id' | 'is_active' | 'role'>,
): Promise<void> => {
  await sql`
    INSERT INTO accounts (user_id, realm_id, is_active, is_guest)
    VALUES (${id}, ${realm_id}, ${is_active}, ${role === roles.guest})
    ON CONFLICT (user_id) DO UPDATE SET is_active = excluded.is_active, is_guest = excluded.is_guest`
}

/** The active accounts of an organization but for guests, and those of `guests`. */
export const accountsWithout = async (
  sql: Queries,
  realmId: number,
  guests: readonly number[],
): Promise<number[]> => {
  const rows = await sql<{ user_id: number }[]>`
    SELECT user_id FROM accounts
    WHERE realm_id = ${realmId} AND is_active AND (NOT is_guest OR user_id = ANY (${[...guests]}::bigint[]))
    ORDER BY user_id`
  return rows.map(({ user_id }) => user_id)
}
