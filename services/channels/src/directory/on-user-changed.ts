import { type Bus, consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { type UserFact, usersTopic } from '@parley/contracts/identity/topics'
import { announcing, type Running, type Tx } from '@parley/kit'
import { lockChannels } from '../channels/channel-store.ts'
import { findActor } from '../permissions/find-actor.ts'
import type { Deps, Queries } from '../room.ts'
import { announceActivation, channelsConcerning } from '../subscriptions/announce-activation.ts'
import { announceNewSight } from '../subscriptions/announce-sight.ts'
import { countActiveSubscriber } from '../subscriptions/period-store.ts'
import { holdPeopleToChange } from './people-lock.ts'
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

/**
 * The same for a service that lives: who has a new role may know other channels than before, and is told of them; of who
 * was deactivated, or is back, those are told who see its channels. Who waits for the news is woken.
 */
export const followUser = async (
  tx: Tx,
  deps: Pick<Deps, 'realms' | 'users' | 'database' | 'newsBell'>,
  user: UserFact,
): Promise<void> => {
  tx.afterCommit(() => deps.newsBell.ring(usersTopic.name, user.id))
  const [before] = await usersByIds(tx.sql, user.realm_id, [user.id])
  const isNews = before !== undefined && before.version < user.version
  const isActivation = isNews && before.is_active !== user.is_active
  const isNewRole = isNews && before.role !== user.role
  if (isActivation || isNewRole) await holdPeopleToChange(tx.sql, user.realm_id)
  // All at once and in the order of IDs, as everybody does who holds several.
  if (isActivation) await lockChannels(tx.sql, user.realm_id, await channelsConcerning(tx.sql, user))
  await takeInUser(tx.sql, user)
  if (!isNews) return
  const realm = await deps.realms.get(user.realm_id)
  if (isActivation) await announceActivation(tx, realm, user)
  if (!user.is_active || !isNewRole) return
  const [was, is] = await Promise.all([before, user].map((one) => findActor(deps, one, realm, tx.sql)))
  await announceNewSight(tx, realm, was!, is!)
}

/** Follows the accounts: once into the database, and into the memory of every process. */
export const onUserChanged = async (deps: Deps & { bus: Bus }): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.users',
    topic: usersTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await followUser(announcing(tx), deps, value)
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
