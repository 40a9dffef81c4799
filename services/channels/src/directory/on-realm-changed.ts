import { type Bus, consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { companyTopic } from '@parley/contracts/channels/topics'
import { realmsTopic } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import { announcing, type Running } from '@parley/kit'
import { areGuestsLimited } from './company.ts'
import type { RealmDirectory } from './realm-directory.ts'
import { realmById, realmOfFact, saveRealm } from './realm-store.ts'

/** Follows the organizations: once into the database, and into the memory of every process. */
export const onRealmChanged = async (deps: {
  bus: Bus
  database: Database
  realms: RealmDirectory
}): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.realms',
    topic: realmsTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      const realm = realmOfFact(value)
      const before = await realmById(tx.sql, realm.id)
      await saveRealm(tx.sql, realm)
      // Who joined while the limit was on its way here was told of to nobody.
      if (areGuestsLimited(realm) && before !== undefined && !areGuestsLimited(before)) {
        announcing(tx).publish(companyTopic, realm.id, { realm_id: realm.id, user_ids: null })
      }
    },
  }),
  await consumeEverywhere({
    bus: deps.bus,
    name: 'channels.realms',
    topic: realmsTopic,
    from: 'now',
    handle: (_key, value) => {
      if (value !== null) deps.realms.learn(realmOfFact(value))
    },
  }),
]
