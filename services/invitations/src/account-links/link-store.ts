import type { StoredKey } from '../invites/link-keys.ts'
import type { Queries } from '../room.ts'

export type LinkKind = 'new_address' | 'password_reset'

/** A link that changes an account: see migrations/130_account_links.sql. */
export interface AccountLink {
  readonly id: number
  readonly kind: LinkKind
  readonly realm_id: number
  readonly user_id: number
  readonly old_email: string
  readonly new_email: string | null
  readonly nonce: Uint8Array
  readonly is_expired: boolean
  readonly state: 'open' | 'used' | 'replaced'
}

/** Hours for which a link is good. */
const validHours = 24
const keptDays = 30

const columns = (sql: Queries) =>
  sql`id, kind, realm_id, user_id, old_email, new_email, nonce, expires_at <= now() AS is_expired, state`

/** Makes a link; those of the same kind that the account had are not good any more. @returns its ID. */
export const insertLink = async (
  sql: Queries,
  wish: Pick<AccountLink, 'kind' | 'realm_id' | 'user_id' | 'old_email' | 'new_email'>,
  key: StoredKey,
): Promise<number> => {
  await sql`DELETE FROM account_links WHERE expires_at < now() - make_interval(days => ${keptDays})`
  await sql`
    UPDATE account_links SET state = 'replaced'
    WHERE user_id = ${wish.user_id} AND kind = ${wish.kind} AND state = 'open'`
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO account_links (kind, realm_id, user_id, old_email, new_email, nonce, key_hash, expires_at)
    VALUES (${wish.kind}, ${wish.realm_id}, ${wish.user_id}, ${wish.old_email}, ${wish.new_email},
      ${key.nonce}, ${key.hash}, now() + make_interval(hours => ${validHours}))
    RETURNING id`
  return made!.id
}

export const linkById = async (sql: Queries, id: number): Promise<AccountLink | undefined> => {
  const [found] = await sql<AccountLink[]>`SELECT ${columns(sql)} FROM account_links WHERE id = ${id}`
  return found
}

export const linkByKey = async (
  sql: Queries,
  kind: LinkKind,
  hash: Uint8Array,
): Promise<AccountLink | undefined> => {
  const [found] = await sql<AccountLink[]>`
    SELECT ${columns(sql)} FROM account_links WHERE key_hash = ${hash} AND kind = ${kind}`
  return found
}

/** @returns whether it was open until now. */
export const useLink = async (sql: Queries, id: number): Promise<boolean> =>
  (await sql`UPDATE account_links SET state = 'used' WHERE id = ${id} AND state = 'open'`).count > 0
