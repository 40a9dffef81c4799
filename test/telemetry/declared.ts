/** Which edges between spans, and which metrics, must exist: what dashboards, alerts and people with a trace in hand rely on. */
import type { ServiceName } from '@parley/contracts'

/** A span by its service and its name. */
type SpanLabel = `${ServiceName} ${string}`

/** `parent > child`, in one trace; `client` is the span that the test says it has. */
export type Edge = readonly [parent: SpanLabel | 'client', child: SpanLabel]

/** A message to a channel whose subscriber waits, from the sender's request to the subscriber's answer. */
export const ofMessage: readonly Edge[] = [
  ['client', 'gateway sendMessage'],
  ['gateway sendMessage', 'channels sendMessage'],
  // Many sends are stored at once: this span links to all of them.
  ['channels sendMessage', 'channels store batch'],
  ['channels store batch', 'channels SELECT send_messages'],
  // The outbox row carries the trace to the relay, the record's header to Kafka's readers.
  ['channels sendMessage', 'channels publish client-events'],
  ['channels sendMessage', 'channels publish channels.messages'],
  ['channels publish client-events', 'event-queue process client-events'],
  ['event-queue process client-events', 'event-queue append batch'],
  ['event-queue append batch', 'event-queue EVALSHA'],
  ['event-queue process client-events', 'event-queue answer poll'],
]

/** Of a message to an outgoing-webhook bot. */
export const ofWebhook: readonly Edge[] = [
  ['channels sendMessage', 'channels publish channels.messages'],
  ['channels publish channels.messages', 'webhook-dispatcher process channels.messages'],
  ['webhook-dispatcher process channels.messages', 'webhook-dispatcher INSERT deliveries'],
  ['channels publish channels.messages', 'webhook-dispatcher call webhook'],
]

export const ofUpload: readonly Edge[] = [
  ['client', 'gateway uploadFile'],
  ['gateway uploadFile', 'uploads uploadFile'],
  ['uploads uploadFile', 'uploads PutObject'],
  ['uploads uploadFile', 'uploads BEGIN'],
  ['uploads uploadFile', 'uploads INSERT attachments'],
  ['uploads uploadFile', 'uploads COMMIT'],
  ['uploads uploadFile', 'uploads publish client-events'],
]

export const ofDownload: readonly Edge[] = [
  ['client', 'gateway getFile'],
  ['gateway getFile', 'uploads getFile'],
  ['uploads getFile', 'uploads GetObject'],
]

export const ofRegistration: readonly Edge[] = [
  ['client', 'gateway registerQueue'],
  ['gateway registerQueue', 'event-queue registerQueue'],
  ['event-queue registerQueue', 'identity internal register-state'],
  ['event-queue registerQueue', 'channels internal register-state'],
  ['event-queue registerQueue', 'presence internal register-state'],
  ['channels internal register-state', 'channels BEGIN'],
  ['channels internal register-state', 'channels SELECT subscription_periods'],
  ['presence internal register-state', 'presence EVALSHA'],
]

export const ofPresence: readonly Edge[] = [
  ['client', 'gateway updateOwnPresence'],
  ['gateway updateOwnPresence', 'presence updateOwnPresence'],
  ['presence updateOwnPresence', 'presence EVALSHA'],
]

/** Logging a browser in: the gateway asks identity, and keeps the session in Redis. */
export const ofLogIn: readonly Edge[] = [
  ['client', 'gateway logIn'],
  ['gateway logIn', 'identity fetchApiKey'],
  ['gateway logIn', 'gateway MULTI'],
]

export interface DeclaredMetric {
  readonly name: string
  /** Labels that a sample of it must have. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Of every process. */
export const ofEachService: readonly DeclaredMetric[] = [
  { name: 'parley_request_duration_seconds_bucket', labels: { status: '200' } },
  { name: 'nodejs_eventloop_lag_p99_seconds' },
  { name: 'process_resident_memory_bytes' },
  { name: 'process_cpu_seconds_total' },
]

const withPool: readonly DeclaredMetric[] = [
  { name: 'parley_engine_pool_size', labels: { engine: 'postgresql' } },
  { name: 'parley_engine_requests_under_way', labels: { engine: 'postgresql' } },
]
/** Of those who announce. */
const withDatabase: readonly DeclaredMetric[] = [
  ...withPool,
  { name: 'parley_outbox_depth' },
  { name: 'parley_outbox_oldest_seconds' },
  { name: 'parley_outbox_age_seconds_bucket' },
  { name: 'parley_outbox_published_total' },
]
const withRedis: DeclaredMetric = { name: 'parley_engine_requests_under_way', labels: { engine: 'redis' } }
const consumer = (consumer: string, topic: string): readonly DeclaredMetric[] => [
  { name: 'parley_consumed_records_total', labels: { consumer } },
  { name: 'parley_consumer_lag_records', labels: { consumer, topic } },
  { name: 'parley_consume_seconds_bucket', labels: { consumer, topic, outcome: 'stored' } },
]

/** After the flows. */
export const ofService: Readonly<Record<ServiceName, readonly DeclaredMetric[]>> = {
  gateway: [
    withRedis,
    { name: 'parley_gateway_requests_under_way' },
    { name: 'parley_request_duration_seconds_bucket', labels: { operation: 'sendMessage' } },
  ],
  identity: withDatabase,
  channels: [
    ...withDatabase,
    { name: 'parley_message_batch_size_bucket' },
    { name: 'parley_request_duration_seconds_bucket', labels: { operation: 'sendMessage', status: '200' } },
    ...consumer('channels.users', 'identity.users'),
  ],
  invitations: withDatabase,
  uploads: [
    ...withDatabase,
    { name: 'parley_engine_requests_under_way', labels: { engine: 'object store' } },
    ...consumer('uploads.messages', 'channels.messages'),
  ],
  presence: [...withDatabase, withRedis],
  'event-queue': [
    withRedis,
    { name: 'parley_event_queues' },
    { name: 'parley_event_polls_waiting' },
    { name: 'parley_event_append_seconds_bucket' },
    { name: 'parley_event_shard_delay_seconds' },
    { name: 'parley_event_shard_backlog_records' },
    { name: 'parley_event_commit_to_answer_seconds_bucket', labels: { le: '1' } },
  ],
  'webhook-dispatcher': [
    ...withPool,
    ...consumer('webhook-dispatcher.messages', 'channels.messages'),
    { name: 'parley_webhook_call_duration_seconds_bucket', labels: { outcome: '2xx' } },
    { name: 'parley_webhook_first_attempt_seconds_bucket', labels: { le: '5' } },
    { name: 'parley_webhook_pending' },
  ],
}
