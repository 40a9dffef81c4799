import type { ConsumerConfig } from 'kafkajs'

/**
 * One partition at a time and a handler that hands over: kafkajs leaves partitions that are being processed out of
 * a fetch in flight, so with several at a time a busy partition would wait for the end of the others' fetch. One at a
 * time, every fetch asks for all of them, and `maxWaitTimeInMs` only says how often an idle consumer asks again, and for
 * how long a seek or a stop may wait (services/DECISIONS.md).
 */
export const consumerSettings = (groupId: string, maxWaitTimeInMs: number): ConsumerConfig => ({
  groupId,
  maxWaitTimeInMs,
  minBytes: 1,
  maxBytesPerPartition: 8 * 1024 * 1024,
  // A killed process is noticed within this time, and its partitions move.
  sessionTimeout: 6000,
  heartbeatInterval: 1500,
  rebalanceTimeout: 15_000,
  metadataMaxAge: 60_000,
  allowAutoTopicCreation: false,
  retry: {
    initialRetryTime: 100,
    maxRetryTime: 1000,
    // Brokers may be away for as long as they like.
    retries: 1_000_000,
    // What the client calls a crash ends this consumer; another one is made (group-member.ts).
    restartOnFailure: async () => false,
  },
})
