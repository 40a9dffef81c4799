import type { Role } from '@parley/contracts'
import type { Queries } from '../room.ts'
import type { StoredKey } from './link-keys.ts'

/** What those who join by an invitation get. */
export interface InvitationTerms {
  readonly invited_as: Role
  readonly channel_ids: readonly number[]
  readonly group_ids: readonly number[]
  readonly include_realm_default_subscriptions: boolean
  /** Null for the organization's own, empty for none. */
  readonly welcome_message_custom_text: string | null
}

export interface InvitationRow extends InvitationTerms {
  readonly id: number
  readonly realm_id: number
  readonly inviter_id: number
  /** Null for links that anybody may use. */
  readonly email: string | null
  readonly notify_referrer_on_join: boolean
  readonly nonce: Uint8Array
  /** UNIX seconds. */
  readonly invited: number
  /** UNIX seconds; null for ever. */
  readonly expiry_date: number | null
  readonly validity_minutes: number | null
  readonly state: 'open' | 'used' | 'revoked'
}

export interface NewInvitation extends InvitationTerms {
  readonly realm_id: number
  readonly inviter_id: number
  readonly email: string | null
  readonly notify_referrer_on_join: boolean
  readonly validity_minutes: number | null
}

const columns = (sql: Queries) => sql`
  id, realm_id, inviter_id, email, invited_as, to_jsonb(channel_ids) AS channel_ids, to_jsonb(group_ids) AS group_ids,
  include_realm_default_subscriptions, notify_referrer_on_join, welcome_message_custom_text, nonce, state,
  validity_minutes, floor(extract(epoch FROM invited_at))::bigint AS invited,
  floor(extract(epoch FROM expires_at))::bigint AS expiry_date`

/** Not used, not revoked, not expired. */
const isOpen = (sql: Queries) => sql`state = 'open' AND (expires_at IS NULL OR expires_at > now())`

export const insertInvitation = async (
  sql: Queries,
  invitation: NewInvitation,
  key: StoredKey,
): Promise<InvitationRow> => {
  const { channel_ids, group_ids, ...fields } = invitation
  const [made] = await sql<InvitationRow[]>`
    INSERT INTO invitations (
      realm_id, inviter_id, email, invited_as, channel_ids, group_ids, include_realm_default_subscriptions,
      notify_referrer_on_join, welcome_message_custom_text, nonce, key_hash, validity_minutes, expires_at)
    VALUES (${fields.realm_id}, ${fields.inviter_id}, ${fields.email}, ${fields.invited_as},
      ${[...channel_ids]}::bigint[], ${[...group_ids]}::bigint[], ${fields.include_realm_default_subscriptions},
      ${fields.notify_referrer_on_join}, ${fields.welcome_message_custom_text}, ${key.nonce}, ${key.hash},
      ${fields.validity_minutes}, now() + make_interval(mins => ${fields.validity_minutes}::integer))
    RETURNING ${columns(sql)}`
  return made!
}

/** Open invitations, newest first; `inviterId` narrows them to one account's. */
export const openInvitations = (
  sql: Queries,
  realmId: number,
  inviterId?: number,
): Promise<InvitationRow[]> =>
  sql<InvitationRow[]>`
    SELECT ${columns(sql)} FROM invitations
    WHERE realm_id = ${realmId} AND ${isOpen(sql)}
      ${inviterId === undefined ? sql`` : sql`AND inviter_id = ${inviterId}`}
    ORDER BY id DESC`

/** How many open invitations an account has made. */
export const countOpen = async (sql: Queries, realmId: number, inviterId: number): Promise<number> => {
  const [counted] = await sql<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM invitations
    WHERE realm_id = ${realmId} AND inviter_id = ${inviterId} AND ${isOpen(sql)}`
  return counted!.count
}

/** Holds an open invitation until the end of the transaction; undefined when there is none (any more). */
export const lockOpen = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<InvitationRow | undefined> => {
  const [found] = await sql<InvitationRow[]>`
    SELECT ${columns(sql)} FROM invitations
    WHERE id = ${id} AND realm_id = ${realmId} AND ${isOpen(sql)} FOR UPDATE`
  return found
}

export const endInvitations = async (
  sql: Queries,
  ids: readonly number[],
  state: 'used' | 'revoked',
): Promise<void> => {
  await sql`
    UPDATE invitations SET state = ${state}, ended_at = now()
    WHERE id = ANY (${[...ids]}::bigint[]) AND state = 'open'`
}

/** One at a time changes how many invitations an account has, until the end of the transaction. */
export const lockInviter = async (sql: Queries, inviterId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock((509011::bigint << 32) + ${inviterId})`
}
