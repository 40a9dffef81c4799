import type { AudienceResolver } from '@parley/bus'
import type { Database } from '@parley/db'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { membersAt } from './period-store.ts'

/** User IDs kept for the relay, over all channels. */
const remembered = 2_000_000

const Args = z.object({ channel_id: z.int(), version: z.int() })

/**
 * Writes out the audience `channel-members`: the recipients of a message. Who they are follows from channel and
 * membership version alone, so an answer holds for ever, and a batch that is published again goes to the same people.
 */
export const channelMembers = (database: Database): AudienceResolver => {
  const known = new LRUCache<string, readonly number[]>({
    maxSize: remembered,
    sizeCalculation: (members) => members.length + 1,
  })
  return async (args) => {
    const { channel_id, version } = Args.parse(args)
    const key = `${channel_id}/${version}`
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const members = await database.guard(membersAt(database.sql, channel_id, version))
    known.set(key, members)
    return members
  }
}
