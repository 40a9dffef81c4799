import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type Issuer, type ServiceName, serviceNames } from '@parley/contracts'
import type { Secrets } from './secrets.ts'

/** The services that derive or encrypt something of their own. */
const servicesWithSecret = ['identity', 'invitations'] as const satisfies readonly ServiceName[]
type ServiceWithSecret = (typeof servicesWithSecret)[number]

/** What the services of one stack sign, verify and encrypt with. */
export interface Keys {
  /** Ed25519 private keys: base64 of PKCS8 DER. */
  signing: Record<Issuer, string>
  /** TRUSTED_KEYS: JSON of issuer -> public key, base64 of SPKI DER. */
  trusted: string
  /** SECRET_KEY of the services that have one: base64 of 32 bytes. */
  secretKeys: Record<ServiceWithSecret, string>
}

/** The keys of a stack, generated at its first start. */
export function stackKeys(secrets: Secrets): Keys {
  const issuers: Issuer[] = [...serviceNames, 'manage']
  const signing = Object.fromEntries(
    issuers.map((issuer) => [issuer, secrets.get(`signing-key-${issuer}`, newSigningKey)]),
  ) as Record<Issuer, string>
  const trusted = Object.fromEntries(issuers.map((issuer) => [issuer, publicKeyOf(signing[issuer])]))
  const newSecret = () => randomBytes(32).toString('base64')
  const secretKeys = {
    identity: secrets.get('secret-key', newSecret),
    invitations: secrets.get('secret-key-invitations', newSecret),
  }
  return { signing, trusted: JSON.stringify(trusted), secretKeys }
}

export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

export function publicKeyOf(signingKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')
}

/** SECRET_KEY for the services that have one. */
export function secretSetting(service: ServiceName, { secretKeys }: Keys): Record<string, string> {
  const named = servicesWithSecret.find((name) => name === service)
  return named === undefined ? {} : { SECRET_KEY: secretKeys[named] }
}
