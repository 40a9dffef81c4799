import { noticeChannel, readNotice } from '@parley/bus'
import type { Running } from '@parley/kit'
import type { Redis } from 'ioredis'
import type { ShardOwners } from './shard-owners.ts'

interface Log {
  warn(details: object, message: string): void
}

/** Hears, of all shards, what is on its way to the log. Nothing hangs on it: what is not heard comes with the log. */
export const listenForNotices = async (
  subscriber: Redis,
  shards: number,
  owners: Pick<ShardOwners, 'takeNotice'>,
  log: Log,
): Promise<Running> => {
  const shardByChannel = new Map(Array.from({ length: shards }, (_, shard) => [noticeChannel(shard), shard]))
  const hear = (channel: string, text: string): void => {
    const shard = shardByChannel.get(channel)
    if (shard === undefined) return
    try {
      owners.takeNotice(shard, readNotice(text))
    } catch (error) {
      log.warn({ err: error, shard }, 'a notice cannot be understood')
    }
  }
  subscriber.on('message', hear)
  await subscriber.subscribe(...shardByChannel.keys())
  return {
    async stop() {
      subscriber.off('message', hear)
    },
  }
}
