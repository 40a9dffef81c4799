import { z } from 'zod'
import { IncludeSubscribers } from '../channels/channel-parameters.ts'
import { ClientCapabilities } from '../client-shape.ts'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { otherRooms } from '../other-rooms.ts'
import { either } from '../parameter.ts'
import type { AnySection } from '../section.ts'

const IdleTimeout = either(
  z.union([
    z
      .int()
      .positive()
      .transform((seconds) => Math.min(seconds, limits.idleQueueMaxSeconds)),
    z.literal('mobile').transform(() => limits.idleQueueMobileSeconds),
  ]),
)

/** What a queue receives and in which form; taken by a poll without a queue as well. */
const queueParams = {
  event_types: z.array(z.string()).max(limits.maxEventTypes).nullable().optional(),
  narrow: z
    .array(z.tuple([z.string(), z.string()]))
    .max(limits.maxNarrowTerms)
    .optional(),
  apply_markdown: z.boolean().default(false),
  client_gravatar: z.boolean().default(true),
  slim_presence: z.boolean().default(false),
  all_public_streams: z.boolean().default(false),
  client_capabilities: ClientCapabilities.optional(),
  idle_queue_timeout: IdleTimeout.default(limits.idleQueueSeconds),
  /** Sections of the state; the types of the events unless given. */
  fetch_event_types: z.array(z.string()).max(limits.maxEventTypes).nullable().optional(),
  include_subscribers: IncludeSubscribers.default(false),
  presence_history_limit_days: z.int().nonnegative().default(14),
}

/** Each section is in the answer when it was asked for. */
const sectionFields: z.ZodRawShape = Object.fromEntries(
  Object.values(otherRooms)
    .flatMap(({ sections }) => Object.values<AnySection>(sections))
    .flatMap(({ fields }) => Object.entries(fields as Record<string, z.ZodType>))
    .map(([name, value]) => [name, value.optional()]),
)

export const registerQueue = endpoint({
  method: 'POST',
  path: '/register',
  service: 'event-queue',
  summary: 'Open an event queue and receive the state that its events continue.',
  access: 'spectator',
  params: {
    ...queueParams,
    /** "The default value is true for authenticated requests and false for unauthenticated requests." */
    client_gravatar: z.boolean().optional(),
  },
  reply: {
    /** Null for spectators, who get the state and no events. */
    queue_id: z.string().nullable(),
    last_event_id: z.int(),
    zulip_version: z.string(),
    zulip_feature_level: z.int(),
    service_feature_level: z.int(),
    zulip_merge_base: z.string(),
    idle_queue_timeout_secs: z.int(),
    event_queue_longpoll_timeout_seconds: z.int(),
    server_emoji_data_url: z.string(),
    /** UNIX seconds: when the process was started that answers for the queue. */
    server_generation: z.int(),
    max_bulk_new_subscription_messages: z.int(),
    max_reminder_note_length: z.int(),
    ...sectionFields,
  },
})

export const getEvents = endpoint({
  method: 'GET',
  path: '/events',
  service: 'event-queue',
  summary: 'Events of a queue after the last one acknowledged; waits for one unless told not to.',
  access: 'authenticated',
  longPoll: true,
  params: {
    /** Without one, a queue is opened by the parameters below, and its ID is in the answer. */
    queue_id: z.string().optional(),
    last_event_id: z.int().optional(),
    dont_block: z.boolean().default(false),
    ...queueParams,
  },
  reply: {
    events: z.array(z.looseObject({ id: z.int(), type: z.string() })),
    queue_id: z.string(),
  },
  errors: ['BAD_EVENT_QUEUE_ID'],
})

export const deleteQueue = endpoint({
  method: 'DELETE',
  path: '/events',
  service: 'event-queue',
  summary: 'Close an event queue.',
  access: 'authenticated',
  params: { queue_id: z.string() },
  reply: {},
  errors: ['BAD_EVENT_QUEUE_ID'],
})
