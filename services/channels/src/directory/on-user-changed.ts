import { type Bus, consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { type UserFact, usersTopic } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { Queries } from '../room.ts'
import { countActiveSubscriber } from '../subscriptions/period-store.ts'
import type { UserDirectory } from './user-directory.ts'
import { saveUsers, usersByIds } from './user-store.ts'

/** Takes one state of an account into the copy; counts of subscribers follow who is active. */
export const takeInUser = async (sql: Queries, user: UserFact): Promise<void> => {
  const [before] = await usersByIds(sql, user.realm_id, [user.id])
  if (before !== undefined && before.version >= user.version) return
  await saveUsers(sql, [user])
  // Only active accounts are ever subscribed, so one that was unknown until now was counted as active.
  const wasActive = before?.is_active ?? true
  if (wasActive !== user.is_active) await countActiveSubscriber(sql, user.id, user.is_active ? 1 : -1)
}

/** Follows the accounts: once into the database, and into the memory of every process. */
export const onUserChanged = async (deps: {
  bus: Bus
  database: Database
  users: UserDirectory
}): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.users',
    topic: usersTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await takeInUser(tx.sql, value)
    },
  }),
  await consumeEverywhere({
    bus: deps.bus,
    name: 'channels.users',
    topic: usersTopic,
    from: 'now',
    handle: (_key, value) => {
      if (value !== null) deps.users.learn(value)
    },
  }),
]
