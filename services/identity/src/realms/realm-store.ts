import type { RealmFact } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'
import type { JsonValue } from './settings-in-force.ts'

export interface RealmRow {
  readonly id: number
  readonly subdomain: string
  readonly name: string
  readonly uuid: string
  readonly description: string
  readonly rendered_description: string
  /** UNIX seconds. */
  readonly date_created: number
  /** What differs from its default. */
  readonly settings: Readonly<Record<string, JsonValue>>
  readonly is_active: boolean
  readonly system_groups: RealmFact['system_groups']
  readonly linkifiers: NonNullable<RealmFact['linkifiers']>
  readonly version: number
}

const columns = (sql: Queries) => sql`
  id, subdomain, name, uuid, description, rendered_description, is_active, settings, version,
  extract(epoch FROM created_at)::bigint AS date_created,
  (SELECT jsonb_object_agg(user_groups.name, user_groups.id) FROM user_groups
   WHERE user_groups.realm_id = realms.id AND is_system_group) AS system_groups,
  coalesce((SELECT jsonb_agg(jsonb_build_object('pattern', pattern, 'url_template', url_template)
      ORDER BY linkifiers."order", linkifiers.id)
    FROM linkifiers WHERE linkifiers.realm_id = realms.id), '[]') AS linkifiers`

export const realmById = async (sql: Queries, id: number): Promise<RealmRow | undefined> => {
  const [realm] = await sql<RealmRow[]>`SELECT ${columns(sql)} FROM realms WHERE id = ${id}`
  return realm
}

export const realmBySubdomain = async (sql: Queries, subdomain: string): Promise<RealmRow | undefined> => {
  const [realm] = await sql<RealmRow[]>`SELECT ${columns(sql)} FROM realms WHERE subdomain = ${subdomain}`
  return realm
}

/** @returns the new organization's ID, or undefined when the subdomain is taken. */
export const insertRealm = async (
  sql: Queries,
  realm: { subdomain: string; name: string },
): Promise<number | undefined> => {
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO realms ${sql(realm, 'subdomain', 'name')} ON CONFLICT DO NOTHING RETURNING id`
  return made?.id
}

/**
 * Until the end of the transaction nobody else adds an account to the organization (adding one refers to the
 * organization's row), nor does anything else that takes this lock. Whatever splits the organization's users by their
 * role, or changes a role, takes it first: else somebody between the two sides is never told.
 */
export const lockAccounts = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT FROM realms WHERE id = ${realmId} FOR UPDATE`
}

/** Changes an organization and its version; `settings` are added to those that are stored. */
export const changeRealm = async (
  sql: Queries,
  id: number,
  changes: {
    readonly name?: string
    readonly description?: string
    readonly rendered_description?: string
    readonly settings: Readonly<Record<string, JsonValue>>
  },
): Promise<RealmRow> => {
  await sql`
    UPDATE realms SET
      name = coalesce(${changes.name ?? null}, name),
      description = coalesce(${changes.description ?? null}, description),
      rendered_description = coalesce(${changes.rendered_description ?? null}, rendered_description),
      settings = settings || ${JSON.stringify(changes.settings)}::text::jsonb,
      version = version + 1
    WHERE id = ${id}`
  return (await realmById(sql, id))!
}
