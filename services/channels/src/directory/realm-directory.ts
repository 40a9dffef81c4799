import { refuse } from '@parley/contracts'
import { findRealmById } from '@parley/contracts/identity/internals'
import type { Database } from '@parley/db'
import type { Ask } from '@parley/kit'
import { type Realm, realmById, realmOfFact, saveRealm } from './realm-store.ts'

/** The organizations, in memory once used; the facts of identity keep them current. */
export interface RealmDirectory {
  /** @throws ApiError REALM_DEACTIVATED for an organization that does not exist (any more). */
  get(id: number): Promise<Realm>
  /** Takes in what is at least as new as what is known. */
  learn(realm: Realm): void
}

export const realmDirectory = (database: Database, ask: Ask): RealmDirectory => {
  const known = new Map<number, Realm>()
  const learn = (realm: Realm): void => {
    const before = known.get(realm.id)
    if (before === undefined || before.version <= realm.version) known.set(realm.id, realm)
  }
  const askOwner = async (id: number): Promise<Realm | undefined> => {
    const { realm } = await ask(findRealmById, { realm_id: id })
    if (realm === null) return undefined
    const found = realmOfFact(realm)
    await database.guard(saveRealm(database.sql, found))
    return found
  }
  return {
    learn,
    async get(id) {
      const remembered = known.get(id)
      if (remembered !== undefined) return remembered
      const found = (await database.guard(realmById(database.sql, id))) ?? (await askOwner(id))
      if (found === undefined) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
      learn(found)
      return found
    },
  }
}
