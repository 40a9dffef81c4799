/** What clients are told when it is not a channel that changes, but who somebody is. */

import { streamCreate, streamDelete, subscriptionPeerAdd } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import { portions } from '@parley/kit/portions'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { subscribersOf } from './period-store.ts'
import { archivedAmong } from './subscription-announcements.ts'
import { channelsSeenBy } from './subscription-store.ts'

/** Channels whose members one announcement reads at a time. */
const channelsAtATime = 100

/**
 * Tells somebody whose role has changed which channels may be known now, with their members, and which are no longer to be
 * seen.
 */
export const announceNewSight = async (
  tx: Tx<typeof streamCreate | typeof streamDelete | typeof subscriptionPeerAdd>,
  realm: Realm,
  before: Actor,
  after: Actor,
): Promise<void> => {
  const to = { realm: realm.id, users: [after.id] }
  const rows = await channelsSeenBy(tx.sql, realm.id, after.id, 'all')
  const knew = (row: (typeof rows)[number]) => mayKnowChannel(before, row, row.is_subscribed)
  const knows = (row: (typeof rows)[number]) => mayKnowChannel(after, row, row.is_subscribed)
  const lost = rows.filter((row) => knew(row) && !knows(row)).map((row) => row.id)
  if (lost.length > 0) {
    const streams = lost.map((stream_id) => ({ stream_id }))
    tx.emit(streamDelete, to, { stream_ids: lost, streams })
  }
  const won = rows.filter((row) => knows(row) && !knew(row))
  const now = Math.floor(Date.now() / 1000)
  for (const some of portions(won, channelsAtATime)) {
    const streams = some.map((row) => presentChannel(row, row, realm.system_groups, now))
    tx.emit(streamCreate, to, { streams })
    const ids = some.map((row) => row.id)
    // Channels with the same members share an event.
    const members = Map.groupBy(await subscribersOf(tx.sql, ids), ([, users]) => users.join())
    const archived = archivedAmong(some)
    for (const channels of members.values()) {
      const stream_ids = channels.map(([id]) => id)
      tx.emit(subscriptionPeerAdd, to, { stream_ids, user_ids: channels[0]![1], ...archived })
    }
  }
}
