import type { ConsumerConfig } from 'kafkajs'

/**
 * One partition at a time and a handler that hands over: kafkajs leaves partitions that are being processed out of
 * a fetch in flight, so concurrency would make busy partitions wait (services/DECISIONS.md).
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
    retries: 1_000_000,
    restartOnFailure: async () => true,
  },
})
