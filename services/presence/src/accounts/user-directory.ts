import { findUsers } from '@parley/contracts/identity/internals'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Ask } from '@parley/kit'
import { LRUCache } from 'lru-cache'

/** Accounts kept in memory. */
const remembered = 200_000
/** The most that identity is asked for at once. */
const perQuestion = 10_000

/** What this service knows of an account. */
export type Account = Pick<UserFact, 'id' | 'realm_id' | 'email' | 'is_active' | 'bot_type' | 'version'>

/** The accounts in use: from memory, which the facts of identity keep current, else from identity. */
export interface UserDirectory {
  /** Those of `ids` that exist in the organization, active or not. */
  byIds(realmId: number, ids: Iterable<number>): Promise<Map<number, Account>>
  /** By API e-mail, whatever the case: finding people by an address that they hide would tell that it is theirs. */
  byEmail(realmId: number, email: string): Promise<Account | undefined>
  /** Takes in what is newer than what is known. */
  learn(user: UserFact): void
}

export const userDirectory = (ask: Ask): UserDirectory => {
  const known = new LRUCache<number, Account>({ max: remembered })

  const learn = ({ id, realm_id, email, is_active, bot_type, version }: UserFact): Account => {
    const before = known.get(id)
    if (before !== undefined && before.version >= version) return before
    const account = { id, realm_id, email, is_active, bot_type, version }
    known.set(id, account)
    return account
  }

  return {
    learn,
    async byIds(realmId, ids) {
      const found = new Map<number, Account>()
      const missing: number[] = []
      for (const id of ids) {
        const account = known.get(id)
        if (account === undefined) missing.push(id)
        else if (account.realm_id === realmId) found.set(id, account)
      }
      for (let from = 0; from < missing.length; from += perQuestion) {
        const asked = missing.slice(from, from + perQuestion)
        const { users } = await ask(findUsers, { realm_id: realmId, ids: asked, emails: [] })
        for (const user of users) found.set(user.id, learn(user))
      }
      return found
    },
    async byEmail(realmId, email) {
      const { users } = await ask(findUsers, { realm_id: realmId, ids: [], emails: [email] })
      const user = users.find((one) => one.email.toLowerCase() === email.toLowerCase())
      return user === undefined ? undefined : learn(user)
    },
  }
}
