/** What clients are told of channels when an account is ended, or comes back. */
import { streamUpdate, subscriptionPeerAdd, subscriptionPeerRemove } from '@parley/contracts/channels/events'
import { channelPermissionNames } from '@parley/contracts/channels/permission-settings'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { channelsByIds, channelsNaming } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { directMembers, withShownSettings } from '../permissions/shown-settings.ts'
import type { Queries } from '../room.ts'
import { peerNews } from './peer-news.ts'
import { guestsIn, subscribersOf } from './period-store.ts'
import { archivedAmong } from './subscription-announcements.ts'
import { channelsOfUser, strangersByChannel, viewersOf } from './subscription-store.ts'

type ActivationEvents = typeof streamUpdate | typeof subscriptionPeerAdd | typeof subscriptionPeerRemove

/** IDs of the channels that show an account, as a subscriber or in a setting. */
export const channelsConcerning = async (
  sql: Queries,
  { id, realm_id }: Pick<UserFact, 'id' | 'realm_id'>,
): Promise<number[]> => [
  ...(await channelsOfUser(sql, realm_id, id)),
  ...(await channelsNaming(sql, realm_id, id)).map((channel) => channel.id),
]

/**
 * Deactivated accounts are shown neither as subscribers nor in settings. Clients learn from identity that an account was
 * ended, but a state that was read before this service knew may still have it: so whoever sees a channel is told both ways.
 */
export const announceActivation = async (
  tx: Tx<ActivationEvents>,
  realm: Realm,
  user: UserFact,
): Promise<void> => {
  await announceSubscriptions(tx, realm, user)
  const named = await channelsNaming(tx.sql, realm.id, user.id)
  for (const [place, shown] of (await withShownSettings(tx.sql, named)).entries()) {
    const stored = named[place]!
    const users = await viewersOf(tx.sql, realm, stored)
    if (users.length === 0) continue
    const { id: stream_id, name } = stored
    const hidden = stored.is_archived ? { is_archived: true } : {}
    for (const property of channelPermissionNames) {
      if (!directMembers(stored.group_settings[property]).includes(user.id)) continue
      const value = shown.group_settings[property]
      tx.emit(streamUpdate, { realm: realm.id, users }, { stream_id, name, property, value, ...hidden })
    }
  }
}

/** As leaving and joining are told, to the others who see the members; channels that the same people see share an event. */
const announceSubscriptions = async (
  tx: Tx<ActivationEvents>,
  realm: Realm,
  user: UserFact,
): Promise<void> => {
  const { sql } = tx
  const channels = await channelsByIds(sql, realm.id, await channelsOfUser(sql, realm.id, user.id))
  if (channels.length === 0) return
  const strangers = await strangersByChannel(sql, realm, channels)
  // Of public channels only guests are not among those who know of it anyway.
  const [closed, open] = [true, false].map((isClosed) =>
    channels.filter((channel) => channel.invite_only === isClosed).map(({ id }) => id),
  )
  const members = new Map([...(await subscribersOf(sql, closed!)), ...(await guestsIn(sql, open!))])
  const changes = channels.map(({ id }) => ({ stream_id: id, user_ids: [user.id] }))
  const event = user.is_active ? subscriptionPeerAdd : subscriptionPeerRemove
  for (const { users, stream_ids, user_ids } of peerNews(changes, strangers, members)) {
    const archived = archivedAmong(channels.filter(({ id }) => stream_ids.includes(id)))
    tx.emit(event, { realm: realm.id, users }, { stream_ids, user_ids, ...archived })
  }
}
