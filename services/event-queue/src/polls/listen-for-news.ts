import type { Running } from '@parley/kit'
import type { Redis } from 'ioredis'
import { wakeChannel } from '../store/shard-store.ts'
import type { Polls } from './polls.ts'

interface Log {
  warn(details: object, message: string): void
}

/** Hears the news of all shards. After the connection was lost, everything that waits asks again. */
export const listenForNews = async (
  subscriber: Redis,
  shards: number,
  polls: Polls,
  log: Log,
): Promise<Running> => {
  const shardByChannel = new Map(Array.from({ length: shards }, (_, shard) => [wakeChannel(shard), shard]))
  const channels = [...shardByChannel.keys()]
  const hear = (channel: string, message: string): void => {
    const shard = shardByChannel.get(channel)
    if (shard !== undefined) polls.receive(shard, message)
  }
  const reconnected = (): void => {
    // Only what is asked after the subscription stands cannot miss anything.
    subscriber
      .subscribe(...channels)
      .then(() => polls.missedNews())
      .catch((error) => log.warn({ err: error }, 'news of the shards cannot be heard'))
  }
  subscriber.on('message', hear)
  await subscriber.subscribe(...channels)
  subscriber.on('ready', reconnected)
  return {
    async stop() {
      subscriber.off('ready', reconnected)
      subscriber.off('message', hear)
    },
  }
}
