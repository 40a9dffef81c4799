import { findUsers } from '@parley/contracts/identity/internals'
import type { Ask } from '@parley/kit'
import { LRUCache } from 'lru-cache'

/** Accounts remembered; each is a number or two. */
const remembered = 500_000

/** What accounts are: a bot's type, or null for people. An account never becomes another kind, so memory is enough. */
export interface AccountKinds {
  /** Those of `ids` that exist in the organization. */
  of(realmId: number, ids: readonly number[]): Promise<Map<number, number | null>>
}

export const accountKinds = (ask: Ask): AccountKinds => {
  const known = new LRUCache<number, { kind: number | null }>({ max: remembered })
  return {
    async of(realmId, ids) {
      const unknown = [...new Set(ids)].filter((id) => !known.has(id))
      if (unknown.length > 0) {
        const { users } = await ask(findUsers, { realm_id: realmId, ids: unknown, emails: [] })
        for (const { id, bot_type } of users) known.set(id, { kind: bot_type })
      }
      const found = new Map<number, number | null>()
      for (const id of ids) {
        const entry = known.get(id)
        if (entry !== undefined) found.set(id, entry.kind)
      }
      return found
    },
  }
}
