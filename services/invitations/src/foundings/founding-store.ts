import type { StoredKey } from '../invites/link-keys.ts'
import type { Queries } from '../room.ts'

/** An organization that somebody wants to make. */
export interface Founding {
  readonly id: number
  readonly name: string
  readonly subdomain: string
  readonly realm_name: string
  readonly email: string
  readonly nonce: Uint8Array
  readonly is_expired: boolean
  readonly state: 'open' | 'claimed' | 'done'
  /** Null until the founder has given it; the hash also once the organization is made. */
  readonly full_name: string | null
  readonly password_hash: string | null
  readonly attempts: number
}

const validHours = 24
/** As with joinings. */
const leaseSeconds = 15

const columns = (sql: Queries) => sql`
  f.id, f.name, f.subdomain, f.realm_name, f.email, f.nonce, f.expires_at <= now() AS is_expired, f.state, f.full_name,
  f.password_hash, f.attempts`

export const insertFounding = async (
  sql: Queries,
  wish: Pick<Founding, 'subdomain' | 'realm_name' | 'email'>,
  key: StoredKey,
): Promise<number> => {
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO foundings (subdomain, realm_name, email, nonce, key_hash, expires_at)
    VALUES (${wish.subdomain}, ${wish.realm_name}, ${wish.email}, ${key.nonce}, ${key.hash},
      now() + make_interval(hours => ${validHours}))
    RETURNING id`
  return made!.id
}

export const foundingById = async (sql: Queries, id: number): Promise<Founding | undefined> => {
  const [found] = await sql<Founding[]>`SELECT ${columns(sql)} FROM foundings f WHERE f.id = ${id}`
  return found
}

export const foundingByKey = async (sql: Queries, hash: Uint8Array): Promise<Founding | undefined> => {
  const [found] = await sql<Founding[]>`SELECT ${columns(sql)} FROM foundings f WHERE f.key_hash = ${hash}`
  return found
}

/** For the one who comes first, who holds it for a while; undefined for all others. */
export const claimFounding = async (
  sql: Queries,
  id: number,
  founder: { full_name: string; password_hash: string },
): Promise<Founding | undefined> => {
  const [claimed] = await sql<Founding[]>`
    UPDATE foundings f SET state = 'claimed', full_name = ${founder.full_name},
      password_hash = ${founder.password_hash}, due_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE f.id = ${id} AND f.state = 'open' AND f.expires_at > now()
    RETURNING ${columns(sql)}`
  return claimed
}

/** Claimed ones whose holder died. */
export const takeFoundings = (sql: Queries, limit: number): Promise<Founding[]> =>
  sql<Founding[]>`
    UPDATE foundings f SET due_at = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    WHERE f.id = ANY (ARRAY (
      SELECT id FROM foundings WHERE state = 'claimed' AND due_at <= now() ORDER BY due_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))
    RETURNING ${columns(sql)}`

/** `open`: it could not be made, and may be tried again with its key. */
export const settleFounding = async (sql: Queries, id: number, state: 'open' | 'done'): Promise<void> => {
  await sql`
    UPDATE foundings SET state = ${state}, due_at = NULL, password_hash = NULL
    WHERE id = ${id} AND state = 'claimed'`
}

export const postponeFounding = async (sql: Queries, id: number, seconds: number): Promise<void> => {
  await sql`
    UPDATE foundings SET due_at = now() + make_interval(secs => ${seconds}) WHERE id = ${id} AND state = 'claimed'`
}

/** Removes what nobody can use any more. @returns how many. */
export const forgetFoundings = async (sql: Queries, limit: number): Promise<number> =>
  (
    await sql`
      DELETE FROM foundings WHERE id = ANY (ARRAY (
        SELECT id FROM foundings WHERE state <> 'claimed' AND expires_at < now() - interval '3 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  ).count
