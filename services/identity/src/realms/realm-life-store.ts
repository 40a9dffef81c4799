import type { Queries } from '../room.ts'
import type { Demo } from './deletion-rules.ts'

/** An organization as operators see it. */
export interface RealmLife {
  readonly id: number
  readonly subdomain: string
  readonly name: string
  readonly is_active: boolean
  /** ISO 8601, as the next one. */
  readonly deactivated_at: string | null
  readonly deletion_due_at: string | null
}

const columns = (sql: Queries) => sql`
  id, subdomain, name, is_active,
  to_char(deactivated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS deactivated_at,
  to_char(deletion_due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS deletion_due_at`

export const realmLives = (sql: Queries): Promise<RealmLife[]> =>
  sql<RealmLife[]>`SELECT ${columns(sql)} FROM realms ORDER BY id`

export const realmLifeAt = async (sql: Queries, subdomain: string): Promise<RealmLife | undefined> => {
  const [realm] = await sql<RealmLife[]>`SELECT ${columns(sql)} FROM realms WHERE subdomain = ${subdomain}`
  return realm
}

/** Holds the organization until the end of the transaction. */
export const lockRealmLife = async (sql: Queries, id: number): Promise<RealmLife> => {
  const [realm] = await sql<RealmLife[]>`SELECT ${columns(sql)} FROM realms WHERE id = ${id} FOR UPDATE`
  return realm!
}

/** Undefined for organizations that are none. Every account has an address here. */
export const demoOf = async (sql: Queries, id: number): Promise<Demo | undefined> => {
  const [realm] = await sql<{ days: number | null }[]>`
    SELECT floor(extract(epoch FROM demo_deletion_at - now()) / 86400)::integer AS days FROM realms WHERE id = ${id}`
  const days = realm?.days ?? null
  return days === null ? undefined : { hasOwnerEmail: true, daysLeft: Math.max(days, 0) }
}

/** `days` until the data is due for deletion, null to keep it. */
export const storeEnd = async (sql: Queries, id: number, days: number | null): Promise<void> => {
  await sql`
    UPDATE realms SET is_active = false, deactivated_at = now(), version = version + 1,
      deletion_due_at = now() + make_interval(days => ${days}::integer)
    WHERE id = ${id}`
}

export const storeReturn = async (sql: Queries, id: number): Promise<void> => {
  await sql`
    UPDATE realms SET is_active = true, deactivated_at = NULL, deletion_due_at = NULL, version = version + 1
    WHERE id = ${id}`
}

export const storeDemoEnd = async (sql: Queries, id: number, days: number): Promise<void> => {
  await sql`UPDATE realms SET demo_deletion_at = now() + make_interval(days => ${days}) WHERE id = ${id}`
}

/** UNIX seconds; undefined for organizations that are none. */
export const demoEndOf = async (sql: Queries, id: number): Promise<number | undefined> => {
  const [realm] = await sql<{ at: number | null }[]>`
    SELECT floor(extract(epoch FROM demo_deletion_at))::bigint AS at FROM realms WHERE id = ${id}`
  return realm?.at ?? undefined
}
