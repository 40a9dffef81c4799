/** Puts together what is stored and announced of a message; no I/O. */
import type { Audience, KnownCaller } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import { avatarUrl, everyoneCanMakeAvatarUrl } from '@parley/contracts/objects/avatar'
import type { DirectRecipient, MessageRecord } from '@parley/contracts/objects/message'
import type { Widget } from '@parley/contracts/objects/widget'
import { type Linkifier, type Rendered, renderTopicLinks } from '@parley/markdown'
import type { z } from 'zod'
import type { ChannelRow } from '../channels/channel-store.ts'
import { maskedEmail } from '../directory/masked-people.ts'
import type { TopicWish } from '../user-topics/automatic-policies.ts'
import { flagBits, flagNames } from './message-flags.ts'
import type { OutgoingMessage } from './send-store.ts'

/** What does not depend on where a message goes. */
export interface Writing {
  readonly caller: KnownCaller
  readonly sender: UserFact
  readonly content: string
  readonly rendered: Rendered
  /** Members of the groups that it mentions. */
  readonly calledInGroups: readonly number[]
  /** Whose alert words it has. */
  readonly alerted: readonly number[]
  /** Who has muted the sender, for whom it is read. */
  readonly muters: readonly number[]
  /** It is read from the start for everybody but these; undefined for what is news. */
  readonly newsFor?: readonly number[] | undefined
  /** Who follows its topic by it, or unmutes it. */
  readonly wishes: readonly TopicWish[]
  /** What it shows besides its text. */
  readonly widget: Widget | undefined
  readonly readBySender: boolean
  /** The queue and the client's own name for the message; both or neither. */
  readonly localName: { readonly queue_id: string; readonly local_id: string } | undefined
  readonly traceparent: string | undefined
}

/** Fields that only the database can fill in. */
type Unsent = Omit<MessageRecord, 'id' | 'timestamp' | 'submessages'> & { submessages?: [] }

const senderFields = ({ caller, sender, content, rendered, widget }: Writing) => ({
  sender_id: sender.id,
  sender_email: sender.email,
  sender_full_name: sender.full_name,
  sender_realm_str: caller.realm.subdomain,
  client: caller.client.replaceAll('\0', '').toWellFormed(),
  is_me_message: rendered.is_me_message,
  reactions: [],
  ...(widget === undefined ? { submessages: [] as [] } : {}),
  content,
  rendered_content: rendered.html,
  avatar_url: avatarUrl(sender),
  avatar_is_gravatar: everyoneCanMakeAvatarUrl(sender),
})

interface Place {
  readonly recipient_id: number
  readonly channel: Pick<ChannelRow, 'id' | 'version'> | undefined
  readonly membersOnly: boolean
  readonly topic: string
  readonly audience: Audience
  /** Whether queues that hear all public channels hear it. */
  readonly isPublic?: boolean
  readonly sharedFlags: number
  /** Exceptional flags by user ID. */
  readonly marks: ReadonlyMap<number, number>
  /** Those of its readers for whom it is read from the start. */
  readonly readFor: readonly number[]
  readonly wishes: readonly TopicWish[]
  /** Who gets the message and may not know the sender. */
  readonly strangers: readonly number[]
}

const assemble = (writing: Writing, unsent: Unsent, place: Place): OutgoingMessage => {
  const { sender, rendered, localName, readBySender, newsFor } = writing
  const { marks, sharedFlags } = place
  const readFor = new Set(readBySender ? [sender.id, ...place.readFor] : place.readFor)
  const personal: Record<string, { flags: string[]; masked_sender_email?: string }> = {}
  const markOf = (userId: number): number =>
    (marks.get(userId) ?? 0) | (readFor.has(userId) ? flagBits.read : 0)
  for (const userId of new Set([sender.id, ...marks.keys(), ...readFor, ...(newsFor ?? [])])) {
    personal[userId] = { flags: flagNames(markOf(userId) | sharedFlags) }
  }
  for (const userId of place.strangers) {
    personal[userId] = {
      flags: flagNames(markOf(userId) | sharedFlags),
      masked_sender_email: maskedEmail(sender.id, writing.caller.realm),
    }
  }
  return {
    realm_id: sender.realm_id,
    recipient_id: place.recipient_id,
    channel_id: place.channel?.id ?? null,
    channel_version: place.channel?.version ?? null,
    members_only: place.membersOnly,
    sender_id: sender.id,
    topic: place.topic,
    content: writing.content,
    rendered_content: rendered.html,
    client: unsent.client,
    is_me_message: rendered.is_me_message,
    has_link: rendered.has_link,
    has_image: rendered.has_image,
    has_attachment: rendered.has_attachment,
    read_by_sender: readBySender,
    shared_flags: sharedFlags,
    queue_id: localName?.queue_id ?? null,
    local_id: localName?.local_id ?? null,
    message_tail: JSON.stringify(unsent).slice(1),
    flags: JSON.stringify(flagNames(newsFor === undefined ? sharedFlags : sharedFlags | flagBits.read)),
    event_tail:
      localName === undefined
        ? '}'
        : `,"local_message_id":${JSON.stringify(localName.local_id)},"sending_queue_id":${JSON.stringify(localName.queue_id)}}`,
    audience: { ...place.audience, personal },
    marks: marks.size === 0 ? null : [...marks].map(([user_id, flags]) => ({ user_id, flags })),
    mentioned_user_ids: JSON.stringify(rendered.mentions.users),
    traceparent: writing.traceparent ?? null,
    widget: writing.widget === undefined ? null : JSON.stringify(writing.widget),
    wishes: place.wishes.length === 0 ? null : place.wishes,
    is_public: place.isPublic ?? false,
  }
}

/** Exceptional flags by user ID: of who is mentioned, by name or as member of a group, and whose alert words it has. */
const marksOf = (
  { rendered, calledInGroups, alerted }: Writing,
  topicParticipants: readonly number[],
): Map<number, number> => {
  const marks = new Map<number, number>()
  const mark = (userIds: readonly number[], bit: number): void => {
    for (const id of userIds) marks.set(id, (marks.get(id) ?? 0) | bit)
  }
  mark(rendered.mentions.users, flagBits.mentioned)
  mark(calledInGroups, flagBits.mentioned)
  mark(topicParticipants, flagBits.topic_wildcard_mentioned)
  mark(alerted, flagBits.has_alert_word)
  return marks
}

/** Flags that a text gives to everybody who gets it, in channels and direct conversations alike. */
export const sharedFlagsOf = ({ mentions }: Pick<Rendered, 'mentions'>): number =>
  mentions.wildcards.includes('channel') ? flagBits.stream_wildcard_mentioned : 0

/**
 * A message to a channel. `topicParticipants`: who is told by a mention of the topic. Members at the moment of sending are
 * the audience, which the database writes down; marks of people who are not among them are left out there. `strangers`:
 * guests among them who may not know the sender.
 */
export const channelMessage = (
  writing: Writing,
  channel: ChannelRow,
  topic: string,
  membersOnly: boolean,
  topicParticipants: readonly number[],
  linkifiers: readonly Linkifier[],
  strangers: readonly number[] = [],
): OutgoingMessage => {
  const marks = marksOf(writing, topicParticipants)
  return assemble(
    writing,
    {
      type: 'stream',
      stream_id: channel.id,
      subject: topic,
      display_recipient: channel.name,
      recipient_id: channel.recipient_id,
      topic_links: renderTopicLinks(topic, linkifiers),
      ...senderFields(writing),
    },
    {
      recipient_id: channel.recipient_id,
      channel,
      membersOnly,
      topic,
      isPublic: !channel.invite_only,
      audience: { realm: writing.sender.realm_id },
      sharedFlags: sharedFlagsOf(writing.rendered),
      marks,
      readFor: writing.muters,
      wishes: writing.wishes,
      strangers,
    },
  )
}

/** How the participants of a direct conversation are listed. */
export const directRecipients = (participants: readonly UserFact[]): z.infer<typeof DirectRecipient>[] =>
  participants.map(({ id, email, full_name }) => ({ id, email, full_name, is_mirror_dummy: false }))

/** A message to people. `participants` in the order of IDs, the sender among them. */
export const directMessage = (
  writing: Writing,
  participants: readonly UserFact[],
  recipientId: number,
): OutgoingMessage => {
  const users = participants.map((user) => user.id)
  const marks = [...marksOf(writing, [])].filter(([id]) => users.includes(id))
  return assemble(
    writing,
    {
      type: 'private',
      subject: '',
      display_recipient: directRecipients(participants),
      recipient_id: recipientId,
      topic_links: [],
      ...senderFields(writing),
    },
    {
      recipient_id: recipientId,
      channel: undefined,
      membersOnly: false,
      topic: '',
      audience: { realm: writing.sender.realm_id, users },
      sharedFlags: sharedFlagsOf(writing.rendered),
      marks: new Map(marks),
      readFor: writing.muters.filter((id) => users.includes(id)),
      wishes: [],
      // Who has a conversation knows each other.
      strangers: [],
    },
  )
}
