import type { CallerRealm } from '@parley/contracts'
import { findRealm } from '@parley/contracts/identity/internals'
import type { RealmFact } from '@parley/contracts/identity/topics'
import type { Ask } from '@parley/kit'
import { factCache } from './fact-cache.ts'

export interface KnownRealm {
  readonly caller: CallerRealm
  readonly isActive: boolean
}

/** Organizations by subdomain. */
export interface RealmDirectory {
  /** The answer itself when it is at hand; null when no organization lives there. */
  find(subdomain: string): KnownRealm | null | Promise<KnownRealm | null>
  onFact(fact: RealmFact): void
}

/** All subdomains share one scope: an organization that is created voids every "there is none". */
const everywhere = 0

/** @throws (asynchronously) EngineUnavailableError when identity is away and the realm is not at hand. */
export const realmDirectory = (parts: { ask: Ask; maxAge: () => number }): RealmDirectory => {
  const cache = factCache<KnownRealm | null>({ max: 10_000, maxAge: parts.maxAge })
  return {
    find(subdomain) {
      const known = cache.get(subdomain)
      if (known !== undefined) return known
      return cache.fill(subdomain, everywhere, async () => {
        const { realm } = await parts.ask(findRealm, { subdomain })
        if (realm === null) return { value: null, subject: null, version: 0 }
        const { is_active: isActive, version, ...caller } = realm
        return { value: { caller, isActive }, subject: caller.id, version }
      })
    },
    onFact: (fact) => cache.outdate(everywhere, fact.id, fact.version),
  }
}
