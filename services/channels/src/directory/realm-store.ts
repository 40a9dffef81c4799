import type { RealmFact } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

/** What this service knows of an organization. */
export interface Realm
  extends Pick<RealmFact, 'id' | 'subdomain' | 'name' | 'is_active' | 'system_groups' | 'version'> {
  /** All settings and permissions as they are in force, by name; to be read through permissions/realm-permissions.ts. */
  readonly settings: NonNullable<RealmFact['settings']>
  /** In the order in which they are tried. */
  readonly linkifiers: NonNullable<RealmFact['linkifiers']>
}

/** What of a fact is kept. */
export const realmOfFact = (fact: RealmFact): Realm => ({
  id: fact.id,
  subdomain: fact.subdomain,
  name: fact.name,
  is_active: fact.is_active,
  system_groups: fact.system_groups,
  settings: fact.settings ?? {},
  linkifiers: fact.linkifiers ?? [],
  version: fact.version,
})

/** Keeps a state unless a newer one is stored. */
export const saveRealm = async (sql: Queries, realm: Realm): Promise<void> => {
  await sql`
    INSERT INTO realms (id, subdomain, name, is_active, system_groups, settings, linkifiers,
      version)
    VALUES (${realm.id}, ${realm.subdomain}, ${realm.name}, ${realm.is_active},
      ${JSON.stringify(realm.system_groups)}::text::jsonb, ${JSON.stringify(realm.settings)}::text::jsonb,
      ${JSON.stringify(realm.linkifiers)}::text::jsonb,
      ${realm.version})
    ON CONFLICT (id) DO UPDATE SET
      subdomain = excluded.subdomain, name = excluded.name, is_active = excluded.is_active,
      system_groups = excluded.system_groups, settings = excluded.settings,
      linkifiers = excluded.linkifiers, version = excluded.version
    WHERE realms.version < excluded.version`
}

export const realmById = async (sql: Queries, id: number): Promise<Realm | undefined> => {
  const [realm] = await sql<Realm[]>`
    SELECT id, subdomain, name, is_active, system_groups, settings, linkifiers, version FROM realms WHERE id = ${id}`
  return realm
}
