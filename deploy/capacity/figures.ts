/**
 * What one unit of work costs, as `npm run bench` measured it (see `measured`). CPU times are microseconds of one core of that
 * machine, the client's own left out; memory is KiB. Measure on your own machines and change these: the tables follow.
 */
export const figures = {
  measured: {
    at: '2026-11-21',
    machine: '2 virtual cores shared with the client and all engines: an upper bound',
    commands: ['npm run bench -- --only "stored sends"', 'npm run bench -- --only deliveries'],
  },
  /** Per accepted send, small batches (6 messages), by process. */
  send: { gateway: 360, channels: 720, postgres: 620, kafka: 580, 'event-queue': 250, followers: 280 },
  /** Per message that reaches a client: its poll's answer and the next poll. */
  delivery: { gateway: 42, 'event-queue': 39, redis: 15 },
  /** Per other request (presence, flags, reads), an average of small ones. */
  request: { gateway: 250, service: 350, postgres: 150 },
  /** KiB per parked poll: 41 over all processes. */
  poll: { gateway: 21, 'event-queue': 20 },
  /** Bytes. A message with its indexes; its records in Kafka, per shard; its payload in Redis, per shard that it touches. */
  bytes: { messageRow: 1400, kafkaRecord: 1600, redisPayload: 1500, redisPosition: 24 },
} as const

/** What a pod may use (k8s/base) and how much of it is to be used at the peak. */
export const pods = {
  utilisation: 0.6,
  gateway: { cores: 1, memoryMiB: 1024, polls: 15_000 },
  'event-queue': { cores: 1, memoryMiB: 1536, polls: 30_000 },
  channels: { cores: 1 },
  others: { cores: 1 },
} as const

/** Beyond these an engine is divided rather than enlarged. */
export const engineLimits = {
  /** Cores of one Postgres server of channels, one Kafka broker, one Redis node (it has one thread). */
  postgresCores: 32,
  kafkaCores: 8,
  redisCores: 0.6,
  /** Sends per second of one organization: its messages are stored one batch after the other. */
  realmSends: 4000,
  /** Records per second that one shard's owner applies. */
  shardRecords: 5000,
  /** TiB of messages in one Postgres server. */
  postgresTiB: 8,
} as const
