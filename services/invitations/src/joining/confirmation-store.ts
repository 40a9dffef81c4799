import type { StoredKey } from '../invites/link-keys.ts'
import type { Queries } from '../room.ts'

/** An address that is to be confirmed. */
export interface Confirmation {
  readonly id: number
  readonly realm_id: number
  /** Null where everybody may join. */
  readonly invitation_id: number | null
  readonly email: string
  readonly nonce: Uint8Array
  readonly is_expired: boolean
  readonly state: 'open' | 'used'
}

const validHours = 24

const columns = (sql: Queries) =>
  sql`id, realm_id, invitation_id, email, nonce, expires_at <= now() AS is_expired, state`

export const insertConfirmation = async (
  sql: Queries,
  wish: Pick<Confirmation, 'realm_id' | 'invitation_id' | 'email'>,
  key: StoredKey,
): Promise<number> => {
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO confirmations (realm_id, invitation_id, email, nonce, key_hash, expires_at)
    VALUES (${wish.realm_id}, ${wish.invitation_id}, ${wish.email}, ${key.nonce}, ${key.hash},
      now() + make_interval(hours => ${validHours}))
    RETURNING id`
  return made!.id
}

export const confirmationById = async (sql: Queries, id: number): Promise<Confirmation | undefined> => {
  const [found] = await sql<Confirmation[]>`SELECT ${columns(sql)} FROM confirmations WHERE id = ${id}`
  return found
}

export const confirmationByKey = async (
  sql: Queries,
  hash: Uint8Array,
): Promise<Confirmation | undefined> => {
  const [found] = await sql<
    Confirmation[]
  >`SELECT ${columns(sql)} FROM confirmations WHERE key_hash = ${hash}`
  return found
}

/** Holds a confirmation until the end of the transaction. */
export const lockConfirmation = async (sql: Queries, id: number): Promise<Confirmation | undefined> => {
  const [found] = await sql<Confirmation[]>`
    SELECT ${columns(sql)} FROM confirmations WHERE id = ${id} FOR UPDATE`
  return found
}

export const storeConfirmationState = async (
  sql: Queries,
  id: number,
  state: Confirmation['state'],
): Promise<void> => {
  await sql`UPDATE confirmations SET state = ${state} WHERE id = ${id}`
}
