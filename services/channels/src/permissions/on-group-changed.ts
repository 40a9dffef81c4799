import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { type GroupFact, groupsTopic } from '@parley/contracts/identity/topics'
import { announcing, type Running, type Tx } from '@parley/kit'
import { announceChanges } from '../channels/channel-announcements.ts'
import { holdPeopleToChange } from '../directory/people-lock.ts'
import type { Deps } from '../room.ts'
import { channelsSeenByGroup, viewersOf } from '../subscriptions/subscription-store.ts'
import { saveGroup } from './group-store.ts'

/** Takes in a state of a group; whom that gives or takes the sight of private channels is told, who waits for it is woken. */
export const followGroup = async (
  tx: Tx,
  deps: Pick<Deps, 'realms' | 'newsBell'>,
  group: GroupFact,
): Promise<void> => {
  tx.afterCommit(() => deps.newsBell.ring(groupsTopic.name, group.id))
  if (group.is_system_group) return saveGroup(tx.sql, group)
  await holdPeopleToChange(tx.sql, group.realm_id)
  const channels = await channelsSeenByGroup(tx.sql, group.realm_id, group.id)
  if (channels.length === 0) return saveGroup(tx.sql, group)
  const realm = await deps.realms.get(group.realm_id)
  const before = new Map<number, number[]>()
  for (const channel of channels) before.set(channel.id, await viewersOf(tx.sql, realm, channel))
  await saveGroup(tx.sql, group)
  for (const channel of channels) {
    const viewers = await viewersOf(tx.sql, realm, channel)
    const change = { channel, changed: channel, changes: {}, before: before.get(channel.id)!, viewers }
    await announceChanges(tx, realm, change)
  }
}

/** Follows the user groups into the database. */
export const onGroupChanged = async (deps: Deps & { bus: Bus }): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.groups',
    topic: groupsTopic,
    handle: async (tx, { value }) => {
      if (value !== null) await followGroup(announcing(tx), deps, value)
    },
  }),
]
