import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { type MessageFact, messagesTopic } from '@parley/contracts/channels/topics'
import { findBots } from '@parley/contracts/identity/internals'
import type { Database, Transaction } from '@parley/db'
import type { Ask, Running } from '@parley/kit'
import { insertDeliveries } from '../deliveries/delivery-store.ts'
import type { Dispatcher } from '../deliveries/dispatcher.ts'
import { knownReceivers, saveReceiver } from '../receivers/receiver-store.ts'
import type { AccountKinds } from './account-kinds.ts'
import { candidates, triggeredBots } from './trigger-rules.ts'

interface Parts {
  readonly ask: Ask
  readonly kinds: AccountKinds
  readonly dispatcher: Dispatcher
}

/** Writes down which bots are to be told of a message. Whether they may see it is asked when they are. */
const takeInMessage = async (
  { ask, kinds, dispatcher }: Parts,
  tx: Transaction,
  fact: MessageFact,
  traceparent: string | undefined,
): Promise<void> => {
  const { trigger, ids } = candidates(fact)
  if (ids.length === 0) return
  const { realm_id, message } = fact
  const bots = triggeredBots(message.sender_id, ids, await kinds.of(realm_id, [message.sender_id, ...ids]))
  if (bots.length === 0) return
  // A bot may be written to before the news of it has come here.
  const known = await knownReceivers(tx.sql, bots)
  const unknown = bots.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const found = await ask(findBots, { realm_id, ids: unknown })
    for (const bot of found.bots) await saveReceiver(tx.sql, bot)
  }
  await insertDeliveries(tx.sql, { realm_id, message, trigger, bots, traceparent })
  tx.afterCommit(() => dispatcher.wake(bots))
}

/** Follows the messages of all organizations. */
export const onMessageSent = (deps: Parts & { bus: Bus; database: Database }): Promise<Running> =>
  consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'webhook-dispatcher.messages',
    topic: messagesTopic,
    concerns: (fact) => candidates(fact).ids.length > 0,
    handle: async (tx, { value, record }) => {
      if (value !== null) await takeInMessage(deps, tx, value, record.traceparent)
    },
  })
