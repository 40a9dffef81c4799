import { consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { usersTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Deps } from '../room.ts'
import { showStatus } from '../statuses/status-store.ts'
import { saveAccount } from './account-store.ts'

/** Follows the accounts: who has ended is seen no more. Once into what is stored, and into the memory of every process. */
export const onUserChanged = async (
  deps: Pick<Deps, 'bus' | 'database' | 'presences' | 'users' | 'boards'>,
): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'presence.users',
    topic: usersTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      await showStatus(tx.sql, value)
      await (value.is_active
        ? deps.presences.restore(value.realm_id, value.id)
        : deps.presences.remove(value.realm_id, value.id))
    },
  }),
  // Under a name of its own: it began later, and has to know everybody.
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'presence.accounts',
    topic: usersTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await saveAccount(tx.sql, value)
    },
  }),
  await consumeEverywhere({
    bus: deps.bus,
    name: 'presence.users',
    topic: usersTopic,
    from: 'now',
    handle: (_key, value) => {
      if (value === null) return
      deps.users.learn(value)
      if (value.is_active) deps.boards.restore(value.id)
      else deps.boards.remove(value.realm_id, value.id)
    },
  }),
]
