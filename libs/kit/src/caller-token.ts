import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { Caller, type Issuer } from '@parley/contracts'
import { decodeJwt, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { BaseConfig } from './config.ts'

/** The header in which the caller travels inside the house. */
export const callerHeader = 'x-parley-caller'

/** How long a token is accepted, in seconds; one is used for new requests only in the first half of it. */
const tokenSeconds = 60

export interface VerifiedToken {
  issuer: Issuer
  /** Null for a service that asks on its own behalf. */
  caller: Caller | null
}

export interface TokenSigner {
  /** A token naming this process' service and, for the gateway, who calls. Cached, so that signing is rare. */
  sign(caller: Caller | null): Promise<string>
}

/** `ownName` is who signs; services verify against the key that TRUSTED_KEYS holds for that name. */
export const tokenSigner = (ownName: Issuer, signingKey: string): TokenSigner => {
  const key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' })
  const recent = new LRUCache<string, Promise<string>>({ max: 50_000, ttl: (tokenSeconds * 1000) / 2 })
  return {
    sign(caller) {
      const cacheKey =
        caller === null
          ? ''
          : `${caller.realm.id}/${caller.realm.url}/${caller.user?.id}/${caller.user?.role}/${caller.user?.bot_type}/${caller.user?.key_version}/${caller.session}/${caller.client}`
      const cached = recent.get(cacheKey)
      if (cached !== undefined) return cached
      const token = new SignJWT(caller === null ? {} : { caller })
        .setProtectedHeader({ alg: 'EdDSA' })
        .setIssuer(ownName)
        .setExpirationTime(`${tokenSeconds}s`)
        .sign(key)
      recent.set(cacheKey, token)
      token.catch(() => recent.delete(cacheKey))
      return token
    },
  }
}

export interface TokenVerifier {
  /** Undefined for a token that is forged, expired or not ours. */
  verify(token: string): VerifiedToken | undefined | Promise<VerifiedToken | undefined>
}

export const tokenVerifier = (config: Pick<BaseConfig, 'TRUSTED_KEYS'>): TokenVerifier => {
  const keys = new Map<string, KeyObject>(
    Object.entries(config.TRUSTED_KEYS).map(([issuer, spki]) => [
      issuer,
      createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' }),
    ]),
  )
  // Checking a signature costs more than a small request: a token that was found good is good until it expires.
  const accepted = new LRUCache<string, VerifiedToken>({ max: 50_000 })

  const check = async (token: string): Promise<VerifiedToken | undefined> => {
    try {
      const { payload } = await jwtVerify(
        token,
        async () => {
          const key = keys.get(decodeJwt(token).iss ?? '')
          if (key === undefined) throw new Error('unknown issuer')
          return key
        },
        { algorithms: ['EdDSA'], requiredClaims: ['exp', 'iss'] },
      )
      const verified: VerifiedToken = {
        issuer: payload.iss as Issuer,
        caller: payload.caller === undefined ? null : Caller.parse(payload.caller),
      }
      // Only the gateway knows who is calling from outside.
      if (verified.caller !== null && verified.issuer !== 'gateway') return undefined
      const ttl = payload.exp! * 1000 - Date.now()
      if (ttl > 0) accepted.set(token, verified, { ttl })
      return verified
    } catch {
      return undefined
    }
  }
  return { verify: (token) => accepted.get(token) ?? check(token) }
}
