/** What the notification bot says in a channel when it was changed; no I/O. */

import type { UserFact } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { ChannelChanges, ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { SystemGroups } from '../permissions/actor.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import { isSameSetting } from '../permissions/setting-values.ts'
import { eventsTopic } from './events-topic.ts'
import { plain, quoted, silentMention } from './names.ts'
import type { NewNotice } from './notice-store.ts'

/** Names of folders, where a channel was or is in one. */
interface FolderNames {
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface ChannelEvent {
  readonly realm: Realm
  readonly by: Pick<UserFact, 'id' | 'full_name'>
  /** As it was. */
  readonly channel: ChannelRow
  readonly changes: ChannelChanges
  readonly folders: FolderNames
}

/** Whether the organization wants to be told of changes of channels in the channels. */
export const areChannelEventsTold = (realm: Realm): boolean =>
  realmSetting(realm, 'send_channel_events_messages')

/** Where changes are told of; where there are no topics, in the one without a name. */
export const topicOfEvents = (channel: Pick<ChannelRow, 'topics_policy'>): string =>
  channel.topics_policy === 'empty_topic_only' ? '' : eventsTopic

export const archivedText = (by: Pick<UserFact, 'id' | 'full_name'>): string =>
  `${silentMention(by)} archived this channel.`

/** One notice for each thing that changed. Archiving is told before it happens, and so not here. */
export const channelEventNotices = (event: ChannelEvent): NewNotice[] => {
  const { realm, channel, changes } = event
  if (!areChannelEventsTold(realm)) return []
  const changed = { ...channel, ...changes }
  // Nobody is told anything in a channel that is archived.
  if (changed.is_archived) return []
  const to = { channel_id: channel.id, topic: topicOfEvents(changed) }
  return sentences(event, changed).map((content) => ({
    realm_id: realm.id,
    bot: 'notification',
    to,
    content,
  }))
}

const sentences = ({ realm, by, channel, changes, folders }: ChannelEvent, changed: ChannelRow): string[] => {
  const who = silentMention(by)
  const found: string[] = []
  const say = (text: string) => void found.push(`${who} ${text}`)
  if (changes.is_archived === false) say('brought this channel back.')
  if (changes.name !== undefined) {
    say(`renamed this channel from **${plain(channel.name)}** to **${plain(changed.name)}**.`)
  }
  if (changes.description !== undefined) {
    const [old, now] = [channel, changed].map((one) => quoted(one.description, 'No description.'))
    say(`changed the description of this channel.\n\n* **Before:**\n\n${old}\n\n* **Now:**\n\n${now}`)
  }
  const [before, after] = [channel, changed].map(privacy)
  if (before !== after) say(`changed who has access to this channel from **${before}** to **${after}**.`)
  if (changes.folder_id !== undefined) say(moved(folders))
  if (changes.topics_policy !== undefined) {
    say(
      `changed the topics of this channel from **${topics[channel.topics_policy]}** to **${topics[changed.topics_policy]}**.`,
    )
  }
  if (changes.message_retention_days !== undefined) {
    say(
      `changed how long messages of this channel are kept from **${kept(channel)}** to **${kept(changed)}**.`,
    )
  }
  const posting = [channel, changed].map((one) => one.group_settings.can_send_message_group)
  if (!isSameSetting(posting[0]!, posting[1]!)) {
    const [old, now] = posting.map((value) => whoIs(value, realm.system_groups))
    say(`changed who may post in this channel from **${old}** to **${now}**.`)
  }
  return found
}

const privacy = (channel: ChannelRow): string => {
  if (channel.is_web_public) return 'web-public'
  if (!channel.invite_only) return 'public'
  return channel.history_public_to_subscribers ? 'private, shared history' : 'private, protected history'
}

const moved = ({ before, after }: FolderNames): string => {
  const [from, to] = [before, after].map((name) => (name === undefined ? undefined : `**${plain(name)}**`))
  if (from === undefined) return `moved this channel to the folder ${to}.`
  return to === undefined
    ? `took this channel out of the folder ${from}.`
    : `moved this channel from the folder ${from} to ${to}.`
}

const topics = {
  inherit: 'as in the organization',
  allow_empty_topic: 'with or without a topic',
  disable_empty_topic: 'only with a topic',
  empty_topic_only: 'only without a topic',
} as const satisfies Record<ChannelRow['topics_policy'], string>

const kept = ({ message_retention_days: days }: ChannelRow): string => {
  if (days === null) return 'as in the organization'
  return days === -1 ? 'for ever' : `${days} ${days === 1 ? 'day' : 'days'}`
}

const groupNames = {
  'role:owners': 'owners',
  'role:administrators': 'administrators',
  'role:moderators': 'moderators',
  'role:fullmembers': 'full members',
  'role:members': 'members',
  'role:everyone': 'everyone',
  'role:nobody': 'nobody',
} as const

/** Who is in a group other than these is not told: its name may not be everybody's to know. */
const whoIs = (value: GroupSettingValue, groups: SystemGroups): string => {
  for (const [name, text] of Object.entries(groupNames)) {
    if (groups[name as keyof typeof groupNames] === value) return text
  }
  return 'certain people'
}
