/**
 * What somebody may do in a channel (facts section 10, and the public documentation of each setting); no I/O. A channel's
 * own setting adds to the permission of the organization, never takes from it.
 */
import type { RealmPermissionName } from '@parley/contracts/identity/permission-settings'
import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { type Actor, isAdministrator, isGuest, isInGroup } from './actor.ts'
import { mayInRealm } from './realm-permissions.ts'

/** What of a channel decides. */
export type ChannelRules = Pick<ChannelRow, 'invite_only' | 'is_web_public' | 'group_settings'>

type RealmRules = Pick<Realm, 'settings' | 'system_groups'>

/** Whether the channel's own setting names somebody. */
const isInChannelGroup = (actor: Actor, channel: ChannelRules, name: ChannelPermission): boolean =>
  isInGroup(actor, channel.group_settings[name])

/**
 * Whether somebody may know that a channel exists, with its name, description and members ("metadata access"). Private
 * channels are known to their subscribers, to organization administrators, and to those whom the channel's own settings
 * name. Guests know the channels that they are in, and web-public ones.
 */
export const mayKnowChannel = (actor: Actor, channel: ChannelRules, isSubscribed: boolean): boolean =>
  mayReadChannel(actor, channel, isSubscribed) ||
  (!isGuest(actor) &&
    (isAdministrator(actor) || isInChannelGroup(actor, channel, 'can_administer_channel_group')))

/** Whether somebody may read in a channel and join it ("content access"); administrators have no privilege here. */
export const mayReadChannel = (actor: Actor, channel: ChannelRules, isSubscribed: boolean): boolean => {
  if (isSubscribed || channel.is_web_public) return true
  if (isGuest(actor)) return false
  return (
    !channel.invite_only ||
    isInChannelGroup(actor, channel, 'can_add_subscribers_group') ||
    isInChannelGroup(actor, channel, 'can_subscribe_group')
  )
}

/** Whether somebody may change a channel's properties: only the name of the permission, not of what it gives access to. */
export const mayAdministerChannel = (actor: Actor, channel: ChannelRules): boolean =>
  isAdministrator(actor) || isInChannelGroup(actor, channel, 'can_administer_channel_group')

/** Whether somebody who may read in a channel may subscribe others to it. */
export const mayAddSubscribers = (
  actor: Actor,
  realm: RealmRules,
  channel: ChannelRules,
  isSubscribed: boolean,
): boolean =>
  mayReadChannel(actor, channel, isSubscribed) &&
  (mayInRealm(actor, realm, 'can_add_subscribers_group') ||
    mayAdministerChannel(actor, channel) ||
    isInChannelGroup(actor, channel, 'can_add_subscribers_group'))

/**
 * Whether somebody may unsubscribe another account, by the requirement: administrators anybody from any channel, owners
 * of bots these from channels that they can access, and who is in can_remove_subscribers_group and has access.
 */
export const mayRemoveSubscriber = (
  actor: Actor,
  channel: ChannelRules,
  isSubscribed: boolean,
  whom: { readonly bot_owner_id: number | null },
): boolean =>
  isAdministrator(actor) ||
  (mayKnowChannel(actor, channel, isSubscribed) &&
    (whom.bot_owner_id === actor.id || isInChannelGroup(actor, channel, 'can_remove_subscribers_group')))

/** Permissions about messages that an organization's setting gives everywhere, and a channel's setting in addition. */
const doubled = {
  can_delete_any_message_group: 'can_delete_any_message_group',
  can_delete_own_message_group: 'can_delete_own_message_group',
  can_resolve_topics_group: 'can_resolve_topics_group',
  can_move_messages_out_of_channel_group: 'can_move_messages_between_channels_group',
  can_move_messages_within_channel_group: 'can_move_messages_between_topics_group',
} as const satisfies Partial<Record<ChannelPermission, RealmPermissionName>>

/** Those that come with administering a channel. */
const ofAdministrators: readonly ChannelPermission[] = [
  'can_move_messages_out_of_channel_group',
  'can_move_messages_within_channel_group',
]

/** Whether somebody who may read in a channel may do this to its messages. */
export const mayToMessages = (
  actor: Actor,
  realm: RealmRules,
  channel: ChannelRules,
  name: keyof typeof doubled,
): boolean =>
  mayInRealm(actor, realm, doubled[name]) ||
  isInChannelGroup(actor, channel, name) ||
  (ofAdministrators.includes(name) && mayAdministerChannel(actor, channel))
