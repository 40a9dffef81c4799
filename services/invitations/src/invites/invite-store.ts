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

/** Who made a link that was revoked; undefined when there is no such link. */
export const inviterOfRevokedLink = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<number | undefined> => {
  const [found] = await sql<{ inviter_id: number }[]>`
    SELECT inviter_id FROM invitations
    WHERE id = ${id} AND realm_id = ${realmId} AND email IS NULL AND state = 'revoked'`
  return found?.inviter_id
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

/** An open invitation by its ID alone. */
export const openById = async (sql: Queries, id: number): Promise<InvitationRow | undefined> => {
  const [found] = await sql<InvitationRow[]>`
    SELECT ${columns(sql)} FROM invitations WHERE id = ${id} AND ${isOpen(sql)}`
  return found
}

/** Gives an invitation a new key and its whole time again. */
export const renewInvitation = async (sql: Queries, id: number, key: StoredKey): Promise<void> => {
  await sql`
    UPDATE invitations SET nonce = ${key.nonce}, key_hash = ${key.hash}, invited_at = now(),
      expires_at = now() + make_interval(mins => validity_minutes::integer)
    WHERE id = ${id}`
}

/** The invitation of a key, whatever became of it. */
export const invitationByKey = async (
  sql: Queries,
  hash: Uint8Array,
): Promise<(InvitationRow & { is_expired: boolean }) | undefined> => {
  const [found] = await sql<(InvitationRow & { is_expired: boolean })[]>`
    SELECT ${columns(sql)}, coalesce(expires_at <= now(), false) AS is_expired
    FROM invitations WHERE key_hash = ${hash}`
  return found
}

/** Holds an invitation, whatever became of it, until the end of the transaction. */
export const lockInvitation = async (
  sql: Queries,
  id: number,
): Promise<(InvitationRow & { is_expired: boolean }) | undefined> => {
  const [found] = await sql<(InvitationRow & { is_expired: boolean })[]>`
    SELECT ${columns(sql)}, coalesce(expires_at <= now(), false) AS is_expired
    FROM invitations WHERE id = ${id} FOR UPDATE`
  return found
}

/** What was used by somebody who could not be let in after all can be used again. */
export const reopenInvitation = async (sql: Queries, id: number): Promise<void> => {
  await sql`UPDATE invitations SET state = 'open', ended_at = NULL WHERE id = ${id} AND state = 'used'`
}

/** An invitation by its ID alone, whatever became of it. */
export const invitationById = async (
  sql: Queries,
  id: number,
): Promise<(InvitationRow & { is_expired: boolean }) | undefined> => {
  const [found] = await sql<(InvitationRow & { is_expired: boolean })[]>`
    SELECT ${columns(sql)}, coalesce(expires_at <= now(), false) AS is_expired FROM invitations WHERE id = ${id}`
  return found
}
