import { consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import type { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import { type PersonalFact, personalTopic } from '@parley/contracts/identity/topics'
import { announcing, type Running, type Tx } from '@parley/kit'
import { deleteDraftsOf } from '../drafts/draft-store.ts'
import { followMutes } from '../read-state/muted-senders.ts'
import type { Deps } from '../room.ts'
import { holdPersonal, savePersonal } from './personal-store.ts'

const keepsDrafts = (fact: PersonalFact | undefined): boolean =>
  fact?.settings.enable_drafts_synchronization !== false

/**
 * Takes one state into the copy, with what follows from it: what is muted is read, who keeps no drafts here has none, and
 * who waits for the news is woken.
 */
export const takeInPersonal = async (
  deps: Pick<Deps, 'users' | 'realms' | 'database' | 'newsBell'>,
  tx: Tx<typeof updateMessageFlagsAdd>,
  fact: PersonalFact,
): Promise<void> => {
  tx.afterCommit(() => deps.newsBell.ring(personalTopic.name, fact.id))
  const before = await holdPersonal(tx.sql, fact.id)
  if (before !== undefined && before.version >= fact.version) return
  await savePersonal(tx.sql, fact)
  await followMutes(deps, tx, fact, before?.muted_user_ids ?? [])
  if (keepsDrafts(before) && !keepsDrafts(fact)) await deleteDraftsOf(tx.sql, fact.id)
}

/** Follows what people chose for themselves: once into the database, and into the memory of every process. */
export const onPersonalChanged = async (deps: Deps): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.personal',
    topic: personalTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      await takeInPersonal(deps, announcing(tx), value)
      // News from before this process was there goes through here alone.
      tx.afterCommit(() => deps.personal.learn(value))
    },
  }),
  await consumeEverywhere({
    bus: deps.bus,
    name: 'channels.personal',
    topic: personalTopic,
    from: 'now',
    handle: (_key, value) => {
      if (value !== null) deps.personal.learn(value)
    },
  }),
]
