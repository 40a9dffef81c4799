import type { PersonalFact } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

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
