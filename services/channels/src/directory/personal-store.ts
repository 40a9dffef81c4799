import type { PersonalFact } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

const columns = (sql: Queries) => sql`
  user_id AS id, realm_id, settings, alert_words, muted_user_ids, version`

/** Keeps a state unless a newer one is stored. */
export const savePersonal = async (sql: Queries, fact: PersonalFact): Promise<void> => {
  await sql`
    INSERT INTO personal (user_id, realm_id, settings, alert_words, muted_user_ids, version)
    VALUES (${fact.id}, ${fact.realm_id}, ${JSON.stringify(fact.settings)}::text::jsonb,
      ${fact.alert_words}::text[], ${fact.muted_user_ids}::bigint[], ${fact.version})
    ON CONFLICT (user_id) DO UPDATE SET
      settings = excluded.settings, alert_words = excluded.alert_words,
      muted_user_ids = excluded.muted_user_ids, version = excluded.version
    WHERE personal.version < excluded.version`
}

/** What is stored of a user, held against changes; undefined for whom nothing is. */
export const holdPersonal = async (sql: Queries, userId: number): Promise<PersonalFact | undefined> => {
  const [found] = await sql<PersonalFact[]>`
    SELECT ${columns(sql)} FROM personal WHERE user_id = ${userId} FOR UPDATE`
  return found
}

export const personalByIds = (sql: Queries, userIds: readonly number[]): Promise<PersonalFact[]> =>
  sql<PersonalFact[]>`SELECT ${columns(sql)} FROM personal WHERE user_id = ANY (${[...userIds]}::bigint[])`

export const personalOfRealm = (sql: Queries, realmId: number): Promise<PersonalFact[]> =>
  sql<PersonalFact[]>`SELECT ${columns(sql)} FROM personal WHERE realm_id = ${realmId}`
