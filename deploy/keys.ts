import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type Issuer, serviceNames } from '@parley/contracts'
import type { Secrets } from './secrets.ts'

/** What the services of one stack sign, verify and encrypt with. */
export interface Keys {
  /** Ed25519 private keys: base64 of PKCS8 DER. */
  signing: Record<Issuer, string>
  /** TRUSTED_KEYS: JSON of issuer -> public key, base64 of SPKI DER. */
  trusted: string
  /** SECRET_KEY of identity: base64 of 32 bytes. */
  secretKey: string
}

/** The keys of a stack, generated at its first start. */
export function stackKeys(secrets: Secrets): Keys {
  const issuers: Issuer[] = [...serviceNames, 'manage']
  const signing = Object.fromEntries(
    issuers.map((issuer) => [issuer, secrets.get(`signing-key-${issuer}`, newSigningKey)]),
  ) as Record<Issuer, string>
  const trusted = Object.fromEntries(issuers.map((issuer) => [issuer, publicKeyOf(signing[issuer])]))
  const secretKey = secrets.get('secret-key', () => randomBytes(32).toString('base64'))
  return { signing, trusted: JSON.stringify(trusted), secretKey }
}

export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

export function publicKeyOf(signingKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')
}
