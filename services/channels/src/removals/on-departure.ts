import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { departuresTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Deps } from '../room.ts'
import { insertRemoval } from './removal-store.ts'

/** Follows which ended accounts are to leave no messages behind. */
export const onDeparture = async ({ bus, database, bell }: Deps & { bus: Bus }): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus,
    database,
    name: 'channels.departures',
    topic: departuresTopic,
    handle: async (tx, { value }) => {
      if (value === null || value.deletes_messages.length === 0) return
      await insertRemoval(tx.sql, value.realm_id, value.user_id, value.deletes_messages)
      tx.afterCommit(bell.ring)
    },
  }),
]
