/** Decisions about channels; no I/O. */
import { limits } from '@parley/contracts'
import { codePoints, type GroupSettingValue } from '@parley/contracts/objects/values'
import type { ChannelRow, GroupSettings } from './channel-store.ts'
import { isInGroup, type Person, type SystemGroups } from './group-permission.ts'

const guestRole = 600
const administratorRole = 200

export const isGuest = (person: Person): boolean => person.role === guestRole
const isAdministrator = (person: Person): boolean => person.role <= administratorRole

/** What is wrong with a name, as a sentence for its author; undefined when nothing is. `name` is trimmed. */
export const channelNameFinding = (name: string): string | undefined => {
  if (name === '') return "Channel name can't be empty."
  if (codePoints(name) > limits.maxChannelNameLength) {
    return `Channel name too long (limit: ${limits.maxChannelNameLength} characters).`
  }
  let position = 0
  for (const character of name) {
    position += 1
    if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(character)) {
      return `Invalid character in channel name, at position ${position}.`
    }
  }
  return undefined
}

/** Only members may create channels (default of the realm's settings, facts section 10). */
export const mayCreateChannels = (person: Person): boolean => !isGuest(person)

/** Only members may subscribe others (default of the realm's can_add_subscribers_group). */
export const maySubscribeOthers = (person: Person): boolean => !isGuest(person)

/** Permissions of a new channel (facts section 10). */
export const defaultGroupSettings = (creatorId: number, groups: SystemGroups): GroupSettings => {
  const nobody = groups['role:nobody']
  const everyone = groups['role:everyone']
  const creator: GroupSettingValue = { direct_members: [creatorId], direct_subgroups: [] }
  return {
    can_add_subscribers_group: nobody,
    can_remove_subscribers_group: groups['role:administrators'],
    can_administer_channel_group: creator,
    can_delete_any_message_group: nobody,
    can_delete_own_message_group: nobody,
    can_create_topic_group: everyone,
    can_move_messages_out_of_channel_group: nobody,
    can_move_messages_within_channel_group: nobody,
    can_send_message_group: everyone,
    can_subscribe_group: nobody,
    can_resolve_topics_group: nobody,
  }
}

/**
 * Whether somebody may know that a channel exists, with its name, description and members. Private channels are
 * known to their subscribers, to organization administrators, and to those whom the channel's own settings name
 * (facts section 10). Guests know the channels that they are in, and web-public ones.
 */
export const mayKnowChannel = (
  person: Person,
  channel: Pick<ChannelRow, 'invite_only' | 'is_web_public' | 'group_settings'>,
  isSubscribed: boolean,
  groups: SystemGroups,
): boolean => {
  if (isSubscribed || channel.is_web_public) return true
  if (isGuest(person)) return false
  if (!channel.invite_only || isAdministrator(person)) return true
  const { can_administer_channel_group, can_add_subscribers_group, can_subscribe_group } =
    channel.group_settings
  return [can_administer_channel_group, can_add_subscribers_group, can_subscribe_group].some((value) =>
    isInGroup(person, value, groups),
  )
}

/** Whether somebody may subscribe to a channel by themselves, or (having been let in) subscribe others to it. */
export const mayJoinChannel = (
  person: Person,
  channel: Pick<ChannelRow, 'invite_only' | 'is_web_public' | 'group_settings'>,
  isSubscribed: boolean,
  groups: SystemGroups,
): boolean => {
  if (isSubscribed || channel.is_web_public) return true
  if (isGuest(person)) return false
  if (!channel.invite_only) return true
  const { can_add_subscribers_group, can_subscribe_group } = channel.group_settings
  return (
    isInGroup(person, can_add_subscribers_group, groups) || isInGroup(person, can_subscribe_group, groups)
  )
}
