import type { Queries } from '../room.ts'

type Step = 'account' | 'channels' | 'done' | 'refused'

/** Somebody on the way in. */
export interface Joining {
  readonly id: string
  readonly realm_id: number
  readonly invitation_id: number | null
  readonly confirmation_id: number | null
  readonly email: string
  readonly full_name: string
  /** Null once the account is made. */
  readonly password_hash: string | null
  readonly step: Step
  readonly user_id: number | null
  readonly refusal: string | null
  readonly attempts: number
}

/**
 * As long as somebody looks at a page that does not come. Should two processes work on one joining after all, each step
 * is done once by its name.
 */
const leaseSeconds = 15

const columns = (sql: Queries) => sql`
  j.id, j.realm_id, j.invitation_id, j.confirmation_id, j.email, j.full_name, j.password_hash, j.step, j.user_id,
  j.refusal, j.attempts`

/** Begun by whoever calls this, who holds it for a while. */
export const insertJoining = async (
  sql: Queries,
  wish: Pick<Joining, 'realm_id' | 'invitation_id' | 'confirmation_id' | 'email' | 'full_name'> & {
    readonly password_hash: string
  },
): Promise<Joining> => {
  const [made] = await sql<Joining[]>`
    INSERT INTO joinings AS j (realm_id, invitation_id, confirmation_id, email, full_name, password_hash, due_at)
    VALUES (${wish.realm_id}, ${wish.invitation_id}, ${wish.confirmation_id}, ${wish.email}, ${wish.full_name},
      ${wish.password_hash}, now() + make_interval(secs => ${leaseSeconds}))
    RETURNING ${columns(sql)}`
  return made!
}

export const claimJoinings = (sql: Queries, limit: number): Promise<Joining[]> =>
  sql<Joining[]>`
    UPDATE joinings j SET due_at = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    WHERE j.id = ANY (ARRAY (
      SELECT id FROM joinings WHERE step NOT IN ('done', 'refused') AND due_at <= now()
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING ${columns(sql)}`

/** One step further, unless somebody else took it meanwhile. @returns how it stands now. */
export const advanceJoining = async (
  sql: Queries,
  { id, step }: Joining,
  next: { step: Step; user_id?: number; refusal?: string },
): Promise<Joining> => {
  await sql`
    UPDATE joinings SET step = ${next.step}, password_hash = NULL,
      user_id = coalesce(${next.user_id ?? null}, user_id), refusal = ${next.refusal ?? null}
    WHERE id = ${id} AND step = ${step}`
  const [now] = await sql<Joining[]>`SELECT ${columns(sql)} FROM joinings j WHERE id = ${id}`
  return now!
}

export const postponeJoining = async (sql: Queries, id: string, seconds: number): Promise<void> => {
  await sql`UPDATE joinings SET due_at = now() + make_interval(secs => ${seconds}) WHERE id = ${id}`
}
