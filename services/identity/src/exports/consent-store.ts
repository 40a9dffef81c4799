import type { Queries } from '../room.ts'

interface Consent {
  readonly user_id: number
  readonly consented: boolean
  readonly email_address_visibility: number
}

/** Of every person whose account is active, by user ID. */
export const consentsOfRealm = (sql: Queries, realmId: number): Promise<Consent[]> =>
  sql<Consent[]>`
    SELECT users.id AS user_id, email_address_visibility,
      coalesce((settings ->> 'allow_private_data_export')::boolean, false) AS consented
    FROM users LEFT JOIN personal ON personal.user_id = users.id
    WHERE realm_id = ${realmId} AND is_active AND bot_type IS NULL ORDER BY users.id`

export const consentOf = async (
  sql: Queries,
  userId: number,
): Promise<Pick<Consent, 'user_id' | 'consented'>> => {
  const [personal] = await sql<{ consented: boolean }[]>`
    SELECT coalesce((settings ->> 'allow_private_data_export')::boolean, false) AS consented
    FROM personal WHERE user_id = ${userId}`
  return { user_id: userId, consented: personal?.consented ?? false }
}

/** Accounts that agreed, ended ones too: what they said holds until they say something else. */
export const consentingUsers = async (sql: Queries, realmId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT users.id FROM users JOIN personal ON personal.user_id = users.id
    WHERE realm_id = ${realmId} AND (settings ->> 'allow_private_data_export')::boolean ORDER BY users.id`
  return rows.map(({ id }) => id)
}
