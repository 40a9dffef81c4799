import type { Subscription } from '@parley/contracts/objects/channel'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { ChannelActivity, ChannelRow } from '../channels/channel-store.ts'
import type { SystemGroups } from '../permissions/actor.ts'
import type { SubscriptionSettings } from './subscription-store.ts'

/** Colors that channels are shown in until a subscriber chooses another. */
const palette = [
  '#2f7ed8',
  '#d9534f',
  '#3c9d5b',
  '#e08e2b',
  '#7d5fb2',
  '#1aa3a3',
  '#c2539b',
  '#8a6d3b',
  '#5b8c2a',
  '#4a6fa5',
  '#b5651d',
  '#607d8b',
  '#a63d57',
  '#2b8a8a',
  '#9a7fd1',
  '#6b8e23',
]

/** The color that a channel has at first, the same for everybody. */
const firstColor = (channelId: number): string => palette[channelId % palette.length]!

/** The settings of a subscription that nobody has changed. */
export const firstSettings = (channel: {
  id: number
  default_push_notifications: boolean
}): SubscriptionSettings => ({
  color: firstColor(channel.id),
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: channel.default_push_notifications ? true : null,
  email_notifications: null,
  wildcard_mentions_notify: null,
})

/** Who is named as a subscriber: all, a part, or nobody where it was not asked for. */
export type NamedMembers = Pick<Subscription, 'subscribers' | 'partial_subscribers'>

/** The subscription object (facts section 1). */
export const presentSubscription = (
  channel: ChannelRow,
  activity: ChannelActivity,
  settings: SubscriptionSettings,
  groups: SystemGroups,
  now: number,
  members: NamedMembers = {},
): Subscription => ({
  ...presentChannel(channel, activity, groups, now),
  ...members,
  desktop_notifications: settings.desktop_notifications,
  audible_notifications: settings.audible_notifications,
  push_notifications: settings.push_notifications,
  email_notifications: settings.email_notifications,
  wildcard_mentions_notify: settings.wildcard_mentions_notify,
  pin_to_top: settings.pin_to_top,
  is_muted: settings.is_muted,
  in_home_view: !settings.is_muted,
  color: settings.color,
})
