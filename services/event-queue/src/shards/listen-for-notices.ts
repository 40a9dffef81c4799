import { noticeChannel, readNotice } from '@parley/bus'
import type { Running } from '@parley/kit'
import type { Redis } from 'ioredis'
import type { ShardOwners } from './shard-owners.ts'

interface Log {
  warn(details: object, message: string): void
}

/** Hears what is on its way to the log. Nothing hangs on it: what is not heard comes with the log. */
export const listenForNotices = async (
  subscriber: Redis,
  owners: Pick<ShardOwners, 'takeNotice'>,
  log: Log,
): Promise<Running> => {
  const hear = (channel: string, text: string): void => {
    if (channel !== noticeChannel) return
    try {
      for (const [shard, notice] of readNotice(text)) owners.takeNotice(shard, notice)
    } catch (error) {
      log.warn({ err: error }, 'a notice cannot be understood')
    }
  }
  subscriber.on('message', hear)
  await subscriber.subscribe(noticeChannel)
  return {
    async stop() {
      subscriber.off('message', hear)
    },
  }
}
