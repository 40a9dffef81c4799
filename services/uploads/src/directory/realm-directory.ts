import { refuse } from '@parley/contracts'
import { findRealmById } from '@parley/contracts/identity/internals'
import type { RealmFact } from '@parley/contracts/identity/topics'
import type { Ask } from '@parley/kit'
import { LRUCache } from 'lru-cache'

/** Organizations kept in memory. */
const remembered = 10_000

/** The organizations in use, in memory: the facts of identity keep them current, what is missing is asked for. */
export interface RealmDirectory {
  /** @throws ApiError REALM_DEACTIVATED for an organization that does not exist (any more). */
  get(id: number): Promise<RealmFact>
  /** Takes in what is newer than what is known. */
  learn(realm: RealmFact): void
}

export const realmDirectory = (ask: Ask): RealmDirectory => {
  const known = new LRUCache<number, RealmFact>({ max: remembered })
  const learn = (realm: RealmFact): RealmFact => {
    const before = known.get(realm.id)
    if (before !== undefined && before.version >= realm.version) return before
    known.set(realm.id, realm)
    return realm
  }
  return {
    learn,
    async get(id) {
      const remembered = known.get(id)
      if (remembered !== undefined) return remembered
      const { realm } = await ask(findRealmById, { realm_id: id })
      if (realm === null) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
      return learn(realm)
    },
  }
}
