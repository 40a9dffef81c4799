import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { groupsTopic } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { saveGroup } from './group-store.ts'

/** Follows the user groups into the database. */
export const onGroupChanged = async (deps: { bus: Bus; database: Database }): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.groups',
    topic: groupsTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await saveGroup(tx.sql, value)
    },
  }),
]
