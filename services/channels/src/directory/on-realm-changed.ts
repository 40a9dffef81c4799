import { type Bus, consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { realmsTopic } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { RealmDirectory } from './realm-directory.ts'
import { realmOfFact, saveRealm } from './realm-store.ts'

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
      if (value !== null) await saveRealm(tx.sql, realmOfFact(value))
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
