import { createHash } from 'node:crypto'
import { limits } from '@parley/contracts'
import type { Finding } from '../users/user-rules.ts'
import type { PushToken, TokenKind } from './device-store.ts'

/** What a client sends to have a device told of messages. */
export interface PushWishes {
  readonly push_key_id?: number | undefined
  readonly push_key?: string | undefined
  readonly token_kind?: TokenKind | undefined
  readonly token_id?: string | undefined
  readonly bouncer_public_key?: string | undefined
  readonly encrypted_push_registration?: string | undefined
}

interface PushKey {
  readonly push_key_id: number
  readonly push_key: Buffer
}

interface Read {
  readonly key?: PushKey
  readonly token?: PushToken
}

/** A byte for libsodium's secretbox, the one cipher that clients use, and its key. */
const secretbox = 0x31
const pushKeyBytes = 33
const tokenIdBytes = 8

const bytesOf = (base64: string, length: number): Buffer | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === length ? bytes : undefined
}

/** The key and the address among what was sent: one of them, or both, each whole. */
export const readPushWishes = (wishes: PushWishes): Read | { readonly finding: string } => {
  const { push_key_id, push_key, token_kind, token_id, bouncer_public_key, encrypted_push_registration } =
    wishes
  const keyFields = [push_key_id, push_key]
  const tokenFields = [token_kind, token_id, bouncer_public_key, encrypted_push_registration]
  const isWhole = (fields: unknown[]): boolean => fields.every((field) => field !== undefined && field !== '')
  const isNone = (fields: unknown[]): boolean => fields.every((field) => field === undefined)
  const isKey = isWhole(keyFields)
  const isToken = isWhole(tokenFields)
  if ((!isKey && !isNone(keyFields)) || (!isToken && !isNone(tokenFields)) || (!isKey && !isToken)) {
    return {
      finding: 'Missing parameters: must provide either all push key fields, all token fields, or both.',
    }
  }
  let key: PushKey | undefined
  if (isKey) {
    const bytes = bytesOf(push_key!, pushKeyBytes)
    if (bytes === undefined || bytes[0] !== secretbox) return { finding: 'Invalid `push_key`' }
    key = { push_key_id: push_key_id!, push_key: bytes }
  }
  let token: PushToken | undefined
  if (isToken) {
    if (bytesOf(token_id!, tokenIdBytes) === undefined) return { finding: 'Invalid `token_id`' }
    token = {
      push_token_kind: token_kind!,
      pending_push_token_id: token_id!,
      bouncer_public_key: bouncer_public_key!,
      encrypted_push_registration: encrypted_push_registration!,
    }
  }
  return { ...(key && { key }), ...(token && { token }) }
}

const idOf = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest().subarray(0, tokenIdBytes).toString('base64')

/** Whether an address that was given by the older way is the one that an ID names, by its text or by its bytes. */
export const isNamedBy = (token: string, tokenId: string): boolean =>
  idOf(Buffer.from(token)) === tokenId || (isHex(token) && idOf(Buffer.from(token, 'hex')) === tokenId)

const isHex = (token: string): boolean => token.length % 2 === 0 && /^[0-9a-f]+$/i.test(token)

export const legacyTokenFinding = (kind: TokenKind, token: string): Finding => {
  if (token === '' || token.length > limits.maxPushTokenLength) return 'Empty or invalid length token'
  return kind === 'apns' && !isHex(token) ? 'Invalid APNS token' : undefined
}
