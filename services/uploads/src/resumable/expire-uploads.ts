import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { dropObjects } from '../objects/loose-store.ts'
import { repeating } from '../objects/repeating.ts'
import type { Log } from '../room.ts'
import { removeExpired } from './upload-store.ts'

/** Uploads of one round. */
const portion = 100
/** Milliseconds between rounds. */
const pause = 60_000

/** Forgets uploads that nobody came back to; what came of them is left to the sweeper. @returns how many. */
export const expireUploads = (database: Database): Promise<number> =>
  database.transaction(async ({ sql }) => {
    const gone = await removeExpired(sql, portion)
    const keys = gone.flatMap(({ object_key, tail_key, is_finished, path_id }) => [
      ...(is_finished && path_id !== null ? [] : [object_key]),
      ...(tail_key === null ? [] : [tail_key]),
    ])
    if (keys.length > 0) await dropObjects(sql, keys)
    return gone.length
  })

export const expiringUploads = (parts: { database: Database; log: Log }): Running =>
  repeating({ pause, log: parts.log, round: async () => (await expireUploads(parts.database)) === portion })
