import { z } from 'zod'
import { unknownUserAvatarUrl, unknownUserName } from './unknown-user.ts'

export const Reaction = z.strictObject({
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.enum(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji']),
  user_id: z.int(),
})

export const Submessage = z.strictObject({
  id: z.int(),
  message_id: z.int(),
  sender_id: z.int(),
  msg_type: z.string(),
  content: z.string(),
})

/** One change of a message (requirement, "Edit history object"): only the aspects that it modified. */
export const EditHistoryEntry = z.strictObject({
  user_id: z.int().nullable(),
  timestamp: z.int(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
  prev_topic: z.string().optional(),
  topic: z.string().optional(),
})
export type EditHistoryEntry = z.infer<typeof EditHistoryEntry>

/** A participant of a direct conversation, as `display_recipient` lists them. */
export const DirectRecipient = z.strictObject({
  id: z.int(),
  email: z.string(),
  full_name: z.string(),
  is_mirror_dummy: z.boolean(),
})

const DisplayRecipient = z.union([z.string(), z.array(DirectRecipient)])

/** Fields of a message that are the same for every reader and every client. */
const sharedFields = {
  id: z.int(),
  type: z.enum(['stream', 'private']),
  stream_id: z.int().optional(),
  subject: z.string(),
  display_recipient: DisplayRecipient,
  recipient_id: z.int(),
  sender_id: z.int(),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_realm_str: z.string(),
  client: z.string(),
  is_me_message: z.boolean(),
  timestamp: z.int(),
  last_edit_timestamp: z.int().optional(),
  last_moved_timestamp: z.int().optional(),
  /** Newest first. */
  edit_history: z.array(EditHistoryEntry).optional(),
  reactions: z.array(Reaction),
  submessages: z.array(Submessage),
  topic_links: z.array(z.strictObject({ text: z.string(), url: z.string() })),
}

/** A message as services pass it on: neutral between clients, everything any client's form is made from. */
export const MessageRecord = z.strictObject({
  ...sharedFields,
  /** Raw Markdown. */
  content: z.string(),
  rendered_content: z.string(),
  /** Where the sender's picture is. */
  avatar_url: z.string(),
  /** Whether a client that makes such addresses itself may be sent null instead (avatar source `G`). */
  avatar_is_gravatar: z.boolean(),
})
export type MessageRecord = z.infer<typeof MessageRecord>

/** The message object, as one client receives it (requirement, "Message object"). */
export const Message = z.strictObject({
  ...sharedFields,
  content: z.string(),
  content_type: z.enum(['text/html', 'text/x-markdown']),
  avatar_url: z.string().nullable(),
})
export type Message = z.infer<typeof Message>

/** The message for readers who may not know its sender; `email` is the address that says nothing. */
export const withoutSender = (message: MessageRecord, email: string): MessageRecord => ({
  ...message,
  sender_email: email,
  sender_full_name: unknownUserName,
  avatar_url: unknownUserAvatarUrl,
  avatar_is_gravatar: false,
})

export const MessageFlags = z.array(z.string())

/** A message in a listing: with the reader's flags, and in searches the highlighted parts. */
export const ListedMessage = Message.extend({
  flags: MessageFlags,
  match_content: z.string().optional(),
  match_subject: z.string().optional(),
})
export type ListedMessage = z.infer<typeof ListedMessage>

/** What clients without the `empty_topic_name` capability are shown for the topic without a name. */
export const emptyTopicDisplayName = 'general chat'

/** Names under which clients ask for the topic without a name (level 370). */
const namesOfEmptyTopic = new Set(['(no topic)', emptyTopicDisplayName])

/** The topic that a client means: its other names for the one without a name are no names. */
export const namedTopic = (sent: string): string => {
  const topic = sent.toWellFormed().trim()
  return namesOfEmptyTopic.has(topic) ? '' : topic
}

export interface MessagePresentation {
  apply_markdown: boolean
  client_gravatar: boolean
  empty_topic_name: boolean
}

/** A topic as one kind of client is shown it. */
export const shownTopic = (topic: string, wants: Pick<MessagePresentation, 'empty_topic_name'>): string =>
  topic === '' && !wants.empty_topic_name ? emptyTopicDisplayName : topic

/** A change as one kind of client is shown it. */
export const shownChange = (entry: EditHistoryEntry, wants: MessagePresentation): EditHistoryEntry => ({
  ...entry,
  ...(entry.prev_topic === undefined ? {} : { prev_topic: shownTopic(entry.prev_topic, wants) }),
  ...(entry.topic === undefined ? {} : { topic: shownTopic(entry.topic, wants) }),
})

/** Writes a message for one kind of client. */
export const presentMessage = (record: MessageRecord, wants: MessagePresentation): Message => {
  const { content, rendered_content, avatar_url, avatar_is_gravatar, subject, edit_history, ...shared } =
    record
  return {
    ...shared,
    ...(edit_history === undefined
      ? {}
      : { edit_history: edit_history.map((entry) => shownChange(entry, wants)) }),
    subject: record.type === 'stream' ? shownTopic(subject, wants) : subject,
    content: wants.apply_markdown ? rendered_content : content,
    content_type: wants.apply_markdown ? 'text/html' : 'text/x-markdown',
    avatar_url: wants.client_gravatar && avatar_is_gravatar ? null : avatar_url,
  }
}
