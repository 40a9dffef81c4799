import type { StoredSettings } from '../personal/personal-store.ts'
import type { Queries } from '../room.ts'

/** What new people of an organization start with, where it differs from the defaults in the code. */
export const userSettingsDefaults = async (sql: Queries, realmId: number): Promise<StoredSettings> => {
  const [realm] = await sql<{ user_settings_defaults: StoredSettings }[]>`
    SELECT user_settings_defaults FROM realms WHERE id = ${realmId}`
  return realm!.user_settings_defaults
}

export const storeUserSettingsDefaults = async (
  sql: Queries,
  realmId: number,
  settings: StoredSettings,
): Promise<void> => {
  await sql`
    UPDATE realms SET user_settings_defaults = ${JSON.stringify(settings)}::text::jsonb WHERE id = ${realmId}`
}

/** The same for somebody who comes now: their language is the organization's unless a default says otherwise. */
export const settingsOfNewPerson = async (sql: Queries, realmId: number): Promise<StoredSettings> => {
  const [realm] = await sql<{ defaults: StoredSettings; language: string | null }[]>`
    SELECT user_settings_defaults AS defaults, settings ->> 'default_language' AS language
    FROM realms WHERE id = ${realmId}`
  const { defaults, language } = realm!
  return language === null ? defaults : { default_language: language, ...defaults }
}
