import type { CallerUser } from '@parley/contracts'
import { findUsers } from '@parley/contracts/identity/internals'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Ask } from '@parley/kit'
import { factCache } from './fact-cache.ts'

interface KnownAccount {
  readonly user: CallerUser
  /** UNIX seconds: sessions from before are over, but for the spared one. */
  readonly sessionsSince: number
  readonly sparedSession: string | undefined
}

/** Accounts by ID: who owns a session, as of now. */
export interface AccountDirectory {
  /** Null for accounts that are deactivated or not there. */
  find(realmId: number, userId: number): KnownAccount | null | Promise<KnownAccount | null>
  onUserFact(fact: UserFact): void
}

/** @throws (asynchronously) EngineUnavailableError when identity is away and the account is not at hand. */
export const accountDirectory = (parts: { ask: Ask; maxAge: () => number }): AccountDirectory => {
  const cache = factCache<KnownAccount | null>({ max: 100_000, maxAge: parts.maxAge })
  return {
    find(realmId, userId) {
      const key = `${realmId} ${userId}`
      const known = cache.get(key)
      if (known !== undefined) return known
      return cache.fill(key, realmId, async () => {
        const { users } = await parts.ask(findUsers, { realm_id: realmId, ids: [userId], emails: [] })
        const [user] = users
        if (user === undefined) return { value: null, subject: null, version: 0 }
        const { id, role, bot_type, key_version, is_active, version } = user
        const account = {
          user: { id, role, bot_type, key_version },
          sessionsSince: user.sessions_since ?? 0,
          sparedSession: user.spared_session,
        }
        return { value: is_active ? account : null, subject: id, version }
      })
    },
    onUserFact: (fact) => cache.outdate(fact.realm_id, fact.id, fact.version),
  }
}
