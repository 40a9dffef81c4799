import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Random bytes of a key: 32 characters of base64url. */
const keyBytes = 24
const nonceBytes = 12
const tagBytes = 16
/** First byte of what is stored, so that another way of encrypting can be told apart. */
const formatVersion = 1

/** How API keys are made, found and kept. */
export interface ApiKeys {
  /** A new key: 32 URL-safe characters, 192 random bits. */
  generate(): string
  /**
   * What a key is looked up by. Nobody without SECRET_KEY can make a hash, so neither a stolen table nor the time
   * that a look-up takes tells anything of a key.
   */
  hash(key: string): Buffer
  /** The form in which a key is kept for its owner to see again; bound to the key's hash, so rows cannot be mixed up. */
  encrypt(key: string): Buffer
  /** @throws Error when the stored form was altered, or SECRET_KEY is another one. */
  decrypt(stored: Uint8Array, hash: Uint8Array): string
}

const derive = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `parley identity ${purpose}`, 32))

/** `secret` is SECRET_KEY; each use has a key of its own derived from it (HKDF-SHA256). */
export const apiKeys = (secret: Buffer): ApiKeys => {
  const pepper = derive(secret, 'api key look-up')
  const cipherKey = derive(secret, 'api key display')
  const hash = (key: string): Buffer => createHmac('sha256', pepper).update(key).digest()
  return {
    generate: () => randomBytes(keyBytes).toString('base64url'),
    hash,
    encrypt: (key) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce)
      cipher.setAAD(hash(key))
      const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(formatVersion), nonce, cipher.getAuthTag(), text])
    },
    decrypt: (stored, keyHash) => {
      const bytes = Buffer.from(stored)
      if (bytes[0] !== formatVersion) throw new Error(`API key kept in an unknown form ${bytes[0]}`)
      const textStart = 1 + nonceBytes + tagBytes
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(1, 1 + nonceBytes))
      decipher.setAAD(keyHash)
      decipher.setAuthTag(bytes.subarray(1 + nonceBytes, textStart))
      return decipher.update(bytes.subarray(textStart), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
