import { hash } from 'node:crypto'
import type { CallerUser } from '@parley/contracts'
import { authenticate } from '@parley/contracts/identity/internals'
import type { RealmFact, UserFact } from '@parley/contracts/identity/topics'
import type { Ask } from '@parley/kit'
import { basicCredentials } from './basic-credentials.ts'
import { factCache } from './fact-cache.ts'

/** What became of credentials: an account, or why there is none. */
export type Principal =
  | { readonly outcome: 'accepted'; readonly user: CallerUser }
  | {
      readonly outcome: 'malformed' | 'invalid' | 'user_deactivated' | 'realm_deactivated'
      readonly user: null
    }

/** Accounts by the Authorization header that proves them. */
export interface PrincipalDirectory {
  /** The answer itself when it is at hand. */
  find(realmId: number, authorization: string): Principal | Promise<Principal>
  onUserFact(fact: UserFact): void
  onRealmFact(fact: RealmFact): void
}

const malformed: Principal = { outcome: 'malformed', user: null }

/** No account has this number: a fact about an organization as a whole outdates only its negative answers. */
const nobody = -1

/** @throws (asynchronously) EngineUnavailableError when identity is away and the account is not at hand. */
export const principalDirectory = (parts: { ask: Ask; maxAge: () => number }): PrincipalDirectory => {
  const cache = factCache<Principal>({ max: 100_000, maxAge: parts.maxAge })
  return {
    find(realmId, authorization) {
      // Hashed, so that no heap dump of the gateway holds a key.
      const key = hash('sha256', `${realmId} ${authorization}`, 'base64')
      const known = cache.get(key)
      if (known !== undefined) return known
      const credentials = basicCredentials(authorization)
      if (credentials === undefined) return malformed
      return cache.fill(key, realmId, async () => {
        const { outcome, user, version } = await parts.ask(authenticate, {
          realm_id: realmId,
          email: credentials.email,
          api_key: credentials.apiKey,
        })
        if (outcome === 'accepted' && user !== null) {
          return { value: { outcome, user }, subject: user.id, version }
        }
        // An unknown user and a wrong key are one answer here already, and take the same way from here on.
        const refusal: Principal = { outcome: outcome === 'accepted' ? 'invalid' : outcome, user: null }
        return { value: refusal, subject: null, version: 0 }
      })
    },
    onUserFact: (fact) => cache.outdate(fact.realm_id, fact.id, fact.version),
    onRealmFact: (fact) => cache.outdate(fact.id, nobody, fact.version),
  }
}
