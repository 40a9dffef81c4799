/** Decisions about channels; no I/O. */
import { limits } from '@parley/contracts'
import { codePoints, type GroupSettingValue } from '@parley/contracts/objects/values'
import type { SystemGroups } from '../permissions/actor.ts'
import type { GroupSettings } from './channel-store.ts'

export { isGuest } from '../permissions/actor.ts'

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

/** A description as it is stored: in one line. */
export const storedDescription = (written: string): string =>
  written
    .toWellFormed()
    .replace(/\s*\n\s*/g, ' ')
    .trim()
