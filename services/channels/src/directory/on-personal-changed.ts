import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { personalTopic } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { savePersonal } from './personal-store.ts'

/** Follows what people chose for themselves into the database. */
export const onPersonalChanged = async (deps: { bus: Bus; database: Database }): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.personal',
    topic: personalTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await savePersonal(tx.sql, value)
    },
  }),
]
