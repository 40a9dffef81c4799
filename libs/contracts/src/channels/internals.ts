import { z } from 'zod'
import { Caller, CallerRealm } from '../caller.ts'
import { newsTopics } from '../identity/news.ts'
import { internal } from '../internal.ts'
import { EmojiFact } from '../uploads/topics.ts'

/** The newest message that an account can see; -1 when there is none. */
export const newestMessage = internal({
  service: 'channels',
  name: 'newest-message',
  callers: ['identity'],
  input: z.object({ caller: Caller }),
  output: z.object({ max_message_id: z.int() }),
})

/**
 * Has the messages of all public channels announced to queues of these users that ask for them (`all_public_streams`):
 * what commits after the answer reaches their shards. Forgotten after 48 hours unless asked again.
 */
export const listenToPublicChannels = internal({
  service: 'channels',
  name: 'listen-to-public-channels',
  callers: ['event-queue'],
  input: z.object({ listeners: z.array(z.object({ realm_id: z.int(), user_id: z.int() })).max(1000) }),
  output: z.object({}),
})

/** Who is told that somebody types in a channel. */
const Listeners = z.array(z.int())

/**
 * Whom it may interest that an account types in a channel: its active subscribers. None when there are more than
 * `limits.maxSubscribersForTyping`. Refuses as sending there would.
 */
export const channelTypingAudience = internal({
  service: 'channels',
  name: 'channel-typing-audience',
  callers: ['presence'],
  input: z.object({ caller: Caller, channel_id: z.int(), topic: z.string() }),
  output: z.object({ topic: z.string(), user_ids: Listeners }),
  errors: ['BAD_REQUEST', 'STREAM_WITH_ID_DOES_NOT_EXIST'],
})

/** Whom it may interest that an account edits a message. Refuses as changing the content would. */
export const editTypingAudience = internal({
  service: 'channels',
  name: 'edit-typing-audience',
  callers: ['presence'],
  input: z.object({ caller: Caller, message_id: z.int() }),
  output: z.union([
    z.object({ type: z.literal('direct'), user_ids: Listeners }),
    z.object({ type: z.literal('channel'), channel_id: z.int(), topic: z.string(), user_ids: Listeners }),
  ]),
  errors: ['BAD_REQUEST'],
})

/** With whom an account shares a channel (both subscribed now) or a direct conversation; itself among them. */
export const acquaintances = internal({
  service: 'channels',
  name: 'acquaintances',
  callers: ['presence'],
  input: z.object({ realm_id: z.int(), user_id: z.int() }),
  output: z.object({ user_ids: z.array(z.int()) }),
})

/** The same of several accounts at once, but for themselves. */
export const companyOf = internal({
  service: 'channels',
  name: 'company-of',
  callers: ['identity'],
  input: z.object({ realm_id: z.int(), user_ids: z.array(z.int()).max(1000) }),
  output: z.object({ company: z.array(z.object({ user_id: z.int(), known_ids: z.array(z.int()) })) }),
})

/** Which settings of which channels name a user group; archived channels count, since they can come back. */
export const channelsUsingGroup = internal({
  service: 'channels',
  name: 'channels-using-group',
  callers: ['identity'],
  input: z.object({ realm_id: z.int(), group_id: z.int() }),
  output: z.object({
    channels: z.array(z.strictObject({ channel_id: z.int(), settings: z.array(z.string()) })),
  }),
})

/** Whether an organization has a channel, not archived, that is shown to people without an account. */
export const hasWebPublicChannels = internal({
  service: 'channels',
  name: 'has-web-public-channels',
  callers: ['identity'],
  input: z.object({ realm_id: z.int() }),
  output: z.object({ exist: z.boolean() }),
})

/**
 * Whether an active account may read a message now. False also when account, message or organization are not there
 * (any more).
 */
export const mayReadMessage = internal({
  service: 'channels',
  name: 'may-read-message',
  callers: ['webhook-dispatcher'],
  input: z.object({ realm_id: z.int(), user_id: z.int(), message_id: z.int() }),
  output: z.object({ may_read: z.boolean() }),
})

/**
 * Which of some messages an active account may read now, or (null) whoever looks on without one; the bulk form of
 * `may-read-message`.
 */
export const readableMessages = internal({
  service: 'channels',
  name: 'readable-messages',
  callers: ['uploads'],
  input: z.object({
    realm_id: z.int(),
    user_id: z.int().nullable(),
    message_ids: z.array(z.int()).max(1000),
  }),
  output: z.object({ message_ids: z.array(z.int()) }),
})

/**
 * Which of some uploaded files are named in anything that somebody wrote: messages, drafts, snippets, whatever waits to be
 * sent. Files are named by the parts of their address that nobody guesses. Slow: asked before a file is given up.
 */
export const filesInUse = internal({
  service: 'channels',
  name: 'files-in-use',
  callers: ['uploads'],
  input: z.object({ realm_id: z.int(), files: z.array(z.string().min(20)).max(20) }),
  output: z.object({ files: z.array(z.string()) }),
})

/** What some messages say now; those that are gone are left out. */
export const messageContents = internal({
  service: 'channels',
  name: 'message-contents',
  callers: ['uploads'],
  input: z.object({ realm_id: z.int(), message_ids: z.array(z.int()).max(100) }),
  output: z.object({
    messages: z.array(z.object({ id: z.int(), sender_id: z.int(), rendered_content: z.string() })),
  }),
})

/**
 * Sends a message as an account of the organization, by the rules of POST /messages. `name` is the sending service's own
 * for the message: repeated within a day, it is the message that was sent first.
 */
export const sendAs = internal({
  service: 'channels',
  name: 'send-as',
  callers: ['webhook-dispatcher'],
  input: z.object({
    realm: CallerRealm,
    sender_id: z.int(),
    client: z.string(),
    to: z.union([
      z.object({ channel_id: z.int(), topic: z.string() }),
      z.object({ user_ids: z.array(z.int()) }),
    ]),
    content: z.string(),
    /** JSON text, as the parameter of POST /messages. */
    widget_content: z.string().optional(),
    name: z.string(),
  }),
  output: z.object({ id: z.int() }),
  errors: ['BAD_REQUEST', 'STREAM_WITH_ID_DOES_NOT_EXIST', 'REALM_DEACTIVATED'],
})

/**
 * Answers when this service acts by these states of identity's things, or later ones; or soon, when they do not come. So
 * whoever changed something meets what they changed with their next request.
 */
export const awaitNews = internal({
  service: 'channels',
  name: 'await-news',
  callers: ['identity'],
  input: z.object({
    realm_id: z.int(),
    news: z.array(z.object({ topic: z.enum(newsTopics), id: z.int(), version: z.int() })).max(200),
  }),
  output: z.object({ have_come: z.boolean() }),
  seconds: 3,
})

/** A custom emoji as it is now, before its news comes: whoever added it may use it with the next message. */
export const learnEmoji = internal({
  service: 'channels',
  name: 'learn-emoji',
  callers: ['uploads'],
  input: EmojiFact,
  output: z.object({}),
  seconds: 3,
})
