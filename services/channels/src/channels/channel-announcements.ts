/** What clients are told when a channel changes. */

import type { EventData } from '@parley/contracts'
import {
  streamCreate,
  streamDelete,
  streamUpdate,
  subscriptionAdd,
  subscriptionPeerAdd,
} from '@parley/contracts/channels/events'
import { channelPermissionNames } from '@parley/contracts/channels/permission-settings'
import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { Tx } from '@parley/kit'
import type { Realm } from '../directory/realm-store.ts'
import { isSameSetting } from '../permissions/setting-values.ts'
import { withShownSettings } from '../permissions/shown-settings.ts'
import { alikeInInheriting, inheritedBy } from '../subscriptions/inherited-settings.ts'
import { subscribersOf } from '../subscriptions/period-store.ts'
import { archivedAmong } from '../subscriptions/subscription-announcements.ts'
import { presentSubscription } from '../subscriptions/subscription-presentation.ts'
import { settingsInChannel } from '../subscriptions/subscription-store.ts'
import { postPolicy, presentChannel } from './channel-presentation.ts'
import { activityOf, type ChannelChanges, type ChannelRow, type GroupSettings } from './channel-store.ts'

type ChangeEvents =
  | typeof streamCreate
  | typeof streamUpdate
  | typeof streamDelete
  | typeof subscriptionPeerAdd

type Update = Omit<EventData<typeof streamUpdate>, 'stream_id' | 'name'>

/** A change in the transaction that made it. */
export interface ChannelChange {
  /** As it was. */
  readonly channel: ChannelRow
  /** As it is. */
  readonly changed: ChannelRow
  readonly changes: ChannelChanges
  /** Who knew of it, and who does. */
  readonly before: readonly number[]
  readonly viewers: readonly number[]
}

const now = (): number => Math.floor(Date.now() / 1000)

/**
 * Announces what changed to those who knew of the channel and still do; to those who do not any more, that it is gone; and
 * to those who come to know of it, that it is there and who is in it.
 */
export const announceChanges = async (
  tx: Tx<ChangeEvents>,
  realm: Realm,
  { channel, changed, changes, before, viewers }: ChannelChange,
): Promise<void> => {
  const still = new Set(viewers)
  const knew = new Set(before)
  const told = before.filter((id) => still.has(id))
  const lost = before.filter((id) => !still.has(id))
  const won = viewers.filter((id) => !knew.has(id))
  const { id: stream_id, name } = channel
  if (lost.length > 0) {
    tx.emit(
      streamDelete,
      { realm: realm.id, users: lost },
      { stream_ids: [stream_id], streams: [{ stream_id }] },
    )
  }
  const [shown] = await withShownSettings(tx.sql, [changed])
  if (told.length > 0) {
    for (const update of updates({ channel, changed, changes }, shown!.group_settings, realm)) {
      const hidden = channel.is_archived && changed.is_archived ? { is_archived: true } : {}
      tx.emit(streamUpdate, { realm: realm.id, users: told }, { stream_id, name, ...update, ...hidden })
    }
  }
  if (won.length > 0) {
    const [activity] = await activityOf(tx.sql, [stream_id])
    const streams = [presentChannel(shown!, activity!, realm.system_groups, now())]
    tx.emit(streamCreate, { realm: realm.id, users: won }, { streams })
    const user_ids = (await subscribersOf(tx.sql, [stream_id])).get(stream_id) ?? []
    if (user_ids.length > 0) {
      const archived = archivedAmong([changed])
      tx.emit(
        subscriptionPeerAdd,
        { realm: realm.id, users: won },
        { stream_ids: [stream_id], user_ids, ...archived },
      )
    }
  }
}

const changesSetting = (name: ChannelPermission, channel: ChannelRow, changed: ChannelRow): boolean =>
  !isSameSetting(channel.group_settings[name], changed.group_settings[name])

/** One update for each property that clients know. Archiving is announced apart. */
const updates = (
  { channel, changed, changes }: Pick<ChannelChange, 'channel' | 'changed' | 'changes'>,
  shown: GroupSettings,
  realm: Realm,
): Update[] => {
  const found: Update[] = []
  const simple = [
    'name',
    'message_retention_days',
    'topics_policy',
    'folder_id',
    'default_push_notifications',
  ] as const
  for (const property of simple) {
    const value = changes[property]
    if (value !== undefined) found.push({ property, value })
  }
  if (changes.description !== undefined) {
    const { description: value, rendered_description } = changed
    found.push({ property: 'description', value, rendered_description })
  }
  const { invite_only, is_web_public, history_public_to_subscribers } = changes
  if ([invite_only, is_web_public, history_public_to_subscribers].some((value) => value !== undefined)) {
    found.push({
      property: 'invite_only',
      value: changed.invite_only,
      history_public_to_subscribers: changed.history_public_to_subscribers,
      is_web_public: changed.is_web_public,
    })
  }
  for (const property of channelPermissionNames) {
    if (changesSetting(property, channel, changed)) found.push({ property, value: shown[property] })
  }
  // The deprecated form of who may send.
  const policy = postPolicy(changed, realm.system_groups)
  if (policy !== postPolicy(channel, realm.system_groups)) {
    found.push({ property: 'stream_post_policy', value: policy })
    const [isLimited, wasLimited] = [policy === 2, postPolicy(channel, realm.system_groups) === 2]
    if (isLimited !== wasLimited) found.push({ property: 'is_announcement_only', value: isLimited })
  }
  return found
}

/**
 * Announces that a channel was archived, or is back. To clients that do not know archived channels it comes anew then, and
 * to its subscribers among them their subscriptions, to the others who is in it.
 */
export const announceArchival = async (
  tx: Tx<typeof streamUpdate | typeof subscriptionAdd | typeof subscriptionPeerAdd>,
  realm: Realm,
  archived: ChannelRow,
  viewers: readonly number[],
): Promise<void> => {
  if (viewers.length === 0) return
  const channel = (await withShownSettings(tx.sql, [archived]))[0]!
  const { id, name, is_archived: value } = channel
  const [activity] = await activityOf(tx.sql, [id])
  const shown = presentChannel(channel, activity!, realm.system_groups, now())
  tx.emit(
    streamUpdate,
    { realm: realm.id, users: [...viewers] },
    { stream_id: id, name, property: 'is_archived', value, channel: shown },
  )
  if (value) return
  const subscribers = (await subscribersOf(tx.sql, [id])).get(id) ?? []
  const inherited = await inheritedBy(tx.sql, subscribers)
  for (const { users, settings } of await settingsInChannel(tx.sql, id)) {
    const subscription = presentSubscription(channel, activity!, settings, realm.system_groups, now(), {
      subscribers,
    })
    for (const part of alikeInInheriting(users, inherited)) {
      tx.emit(
        subscriptionAdd,
        { realm: realm.id, users: part.users },
        { subscriptions: [subscription], stands_in: true, inherited: part.inherited },
      )
    }
  }
  const members = new Set(subscribers)
  const others = viewers.filter((user) => !members.has(user))
  if (others.length > 0 && subscribers.length > 0) {
    tx.emit(
      subscriptionPeerAdd,
      { realm: realm.id, users: others },
      { stream_ids: [id], user_ids: subscribers, stands_in: true },
    )
  }
}
