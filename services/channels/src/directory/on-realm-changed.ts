import { type Bus, consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { companyTopic } from '@parley/contracts/channels/topics'
import { type RealmFact, realmsTopic } from '@parley/contracts/identity/topics'
import { announcing, type Running, type Tx } from '@parley/kit'
import type { Deps } from '../room.ts'
import { areGuestsLimited } from './company.ts'
import { realmById, realmOfFact, saveRealm } from './realm-store.ts'

/** Takes in a state of an organization; who waits for the news is woken. */
export const followRealm = async (
  tx: Tx,
  { newsBell }: Pick<Deps, 'newsBell'>,
  fact: RealmFact,
): Promise<void> => {
  tx.afterCommit(() => newsBell.ring(realmsTopic.name, fact.id))
  const realm = realmOfFact(fact)
  const before = await realmById(tx.sql, realm.id)
  await saveRealm(tx.sql, realm)
  // Who joined while the limit was on its way here was told of to nobody.
  if (areGuestsLimited(realm) && before !== undefined && !areGuestsLimited(before)) {
    tx.publish(companyTopic, realm.id, { realm_id: realm.id, user_ids: null })
  }
}

/** Follows the organizations: once into the database, and into the memory of every process. */
export const onRealmChanged = async (
  deps: Pick<Deps, 'database' | 'realms' | 'newsBell'> & { bus: Bus },
): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.realms',
    topic: realmsTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await followRealm(announcing(tx), deps, value)
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
