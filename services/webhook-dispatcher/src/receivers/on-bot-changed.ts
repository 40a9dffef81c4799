import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { botsTopic } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { saveReceiver } from './receiver-store.ts'

/** Follows the bots of all organizations. */
export const onBotChanged = ({ bus, database }: { bus: Bus; database: Database }): Promise<Running> =>
  consumeIntoDatabase({
    bus,
    database,
    name: 'webhook-dispatcher.bots',
    topic: botsTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await saveReceiver(tx.sql, value)
    },
  })
