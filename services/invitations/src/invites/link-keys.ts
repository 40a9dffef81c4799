import { createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** 192 bits: 32 characters of base64url. */
const keyBytes = 24
const nonceBytes = 16

/** What is stored of a key. */
export interface StoredKey {
  readonly nonce: Uint8Array
  readonly hash: Uint8Array
}

/**
 * The keys in links. A key belongs to one organization: elsewhere its hash is another one. Nobody without SECRET_KEY can
 * make a hash or a key, so neither a stolen table nor the time that a look-up takes tells anything of one.
 */
export interface LinkKeys {
  make(realmId: number): StoredKey
  /** The key itself, for a link. */
  show(realmId: number, nonce: Uint8Array): string
  /** What a key is looked up by. */
  hash(realmId: number, key: string): Buffer
  /** By what an address proves in a link that it was sent to it; the same every time. */
  ofAddress(realmId: number, email: string): string
}

const derive = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `parley invitations ${purpose}`, 32))

/** `secret` is SECRET_KEY; each use has a key of its own derived from it (HKDF-SHA256). */
export const linkKeys = (secret: Buffer): LinkKeys => {
  const maker = derive(secret, 'link')
  const pepper = derive(secret, 'link look-up')
  const addresses = derive(secret, 'unsubscribing')
  const show = (realmId: number, nonce: Uint8Array): string =>
    createHmac('sha256', maker)
      .update(`${realmId}:`)
      .update(nonce)
      .digest()
      .subarray(0, keyBytes)
      .toString('base64url')
  const hash = (realmId: number, key: string): Buffer =>
    createHmac('sha256', pepper).update(`${realmId}:${key}`).digest()
  const ofAddress = (realmId: number, email: string): string =>
    createHmac('sha256', addresses)
      .update(`${realmId}:${email.toLowerCase()}`)
      .digest()
      .subarray(0, keyBytes)
      .toString('base64url')
  return {
    ofAddress,
    show,
    hash,
    make(realmId) {
      const nonce = randomBytes(nonceBytes)
      return { nonce, hash: hash(realmId, show(realmId, nonce)) }
    },
  }
}
