import type { Device } from '@parley/contracts/objects/device'
import type { Queries } from '../room.ts'

export type TokenKind = 'apns' | 'fcm'

export interface DeviceRow extends Device {
  readonly id: number
  readonly push_registration_error_code: string | null
}

const columns = (sql: Queries) => sql`
  id, push_key_id, push_token_id, pending_push_token_id,
  extract(epoch FROM push_token_last_updated_at)::bigint AS push_token_last_updated_timestamp,
  push_registration_error_code`

export const devicesOf = (sql: Queries, userId: number): Promise<DeviceRow[]> =>
  sql<DeviceRow[]>`SELECT ${columns(sql)} FROM devices WHERE user_id = ${userId} ORDER BY id`

/** One of an account's devices, held until the end of the transaction. */
export const lockDevice = async (
  sql: Queries,
  userId: number,
  id: number,
): Promise<DeviceRow | undefined> => {
  const [device] = await sql<DeviceRow[]>`
    SELECT ${columns(sql)} FROM devices WHERE id = ${id} AND user_id = ${userId} FOR UPDATE`
  return device
}

/** @returns undefined when the account has `most` devices already. */
export const insertDevice = async (
  sql: Queries,
  userId: number,
  most: number,
): Promise<number | undefined> => {
  await sql`SELECT FROM users WHERE id = ${userId} FOR NO KEY UPDATE`
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO devices (user_id) SELECT ${userId}
    WHERE (SELECT count(*) FROM devices WHERE user_id = ${userId}) < ${most} RETURNING id`
  return made?.id
}

/** @returns whether there was one. */
export const deleteDevice = async (sql: Queries, userId: number, id: number): Promise<boolean> => {
  const gone = await sql`DELETE FROM devices WHERE id = ${id} AND user_id = ${userId}`
  return gone.count > 0
}

export const storePushKey = async (
  sql: Queries,
  id: number,
  key: { readonly push_key_id: number; readonly push_key: Uint8Array },
): Promise<void> => {
  await sql`UPDATE devices SET ${sql({ ...key })} WHERE id = ${id}`
}

export interface PushToken {
  readonly push_token_kind: TokenKind
  readonly pending_push_token_id: string
  readonly bouncer_public_key: string
  readonly encrypted_push_registration: string
}

/** @returns the moment of it, in UNIX seconds. */
export const storePushToken = async (sql: Queries, id: number, token: PushToken): Promise<number> => {
  const [row] = await sql<{ at: number }[]>`
    UPDATE devices SET ${sql({ ...token })}, push_token_last_updated_at = now(), push_registration_error_code = NULL
    WHERE id = ${id} RETURNING extract(epoch FROM push_token_last_updated_at)::bigint AS at`
  return row!.at
}

/** Ends how an account's devices are told of messages. @returns the IDs of those that were. */
export const clearPushRegistrations = async (sql: Queries, userId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    UPDATE devices SET push_key_id = NULL, push_key = NULL, push_token_kind = NULL, push_token_id = NULL,
      pending_push_token_id = NULL, push_token_last_updated_at = NULL, bouncer_public_key = NULL,
      encrypted_push_registration = NULL, push_registration_error_code = NULL
    WHERE user_id = ${userId} AND push_key_id IS NOT NULL RETURNING id`
  return rows.map(({ id }) => id)
}

export const storeLegacyToken = async (
  sql: Queries,
  row: { user_id: number; kind: TokenKind; token: string; app_id: string | null },
): Promise<void> => {
  await sql`
    INSERT INTO push_tokens ${sql(row)}
    ON CONFLICT (user_id, kind, token) DO UPDATE SET app_id = excluded.app_id`
}

/** @returns whether there was one. */
export const deleteLegacyToken = async (
  sql: Queries,
  userId: number,
  kind: TokenKind,
  token: string,
): Promise<boolean> => {
  const gone =
    await sql`DELETE FROM push_tokens WHERE user_id = ${userId} AND kind = ${kind} AND token = ${token}`
  return gone.count > 0
}

export const legacyTokensOf = async (sql: Queries, userId: number, kind: TokenKind): Promise<string[]> => {
  const rows = await sql<{ token: string }[]>`
    SELECT token FROM push_tokens WHERE user_id = ${userId} AND kind = ${kind}`
  return rows.map(({ token }) => token)
}

/** Forgets all devices and addresses of an account. */
export const forgetDevices = async (sql: Queries, userId: number): Promise<void> => {
  await sql`DELETE FROM devices WHERE user_id = ${userId}`
  await sql`DELETE FROM push_tokens WHERE user_id = ${userId}`
}
