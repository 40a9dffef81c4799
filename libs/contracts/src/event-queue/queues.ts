import { z } from 'zod'
import { messageSection, subscriptionSection } from '../channels/sections.ts'
import { ClientCapabilities } from '../client-shape.ts'
import { endpoint } from '../endpoint.ts'
import { realmUserSection } from '../identity/sections.ts'
import { limits } from '../limits.ts'

const IdleTimeout = z.union([
  z.int().positive().max(limits.idleQueueMaxSeconds),
  z.literal('mobile').transform(() => limits.idleQueueMobileSeconds),
])

/** Each section is in the answer when it was asked for. */
const sectionFields = z
  .object({ ...realmUserSection.fields, ...messageSection.fields, ...subscriptionSection.fields })
  .partial().shape

export const registerQueue = endpoint({
  method: 'POST',
  path: '/register',
  service: 'event-queue',
  summary: 'Open an event queue and receive the state that its events continue.',
  access: 'authenticated',
  params: {
    event_types: z.array(z.string()).nullable().optional(),
    fetch_event_types: z.array(z.string()).nullable().optional(),
    narrow: z.array(z.tuple([z.string(), z.string()])).default([]),
    apply_markdown: z.boolean().default(false),
    client_gravatar: z.boolean().default(true),
    include_subscribers: z.union([z.boolean(), z.literal('partial')]).default(false),
    slim_presence: z.boolean().default(false),
    presence_history_limit_days: z.int().nonnegative().default(14),
    all_public_streams: z.boolean().default(false),
    client_capabilities: ClientCapabilities.default(ClientCapabilities.parse({})),
    idle_queue_timeout: IdleTimeout.default(limits.idleQueueSeconds),
  },
  reply: {
    queue_id: z.string(),
    last_event_id: z.int(),
    zulip_version: z.string(),
    zulip_feature_level: z.int(),
    service_feature_level: z.int(),
    zulip_merge_base: z.string(),
    idle_queue_timeout_secs: z.int(),
    event_queue_longpoll_timeout_seconds: z.int(),
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
    queue_id: z.string(),
    last_event_id: z.int().optional(),
    dont_block: z.boolean().default(false),
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
