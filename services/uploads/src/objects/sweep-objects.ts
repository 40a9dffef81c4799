import type { BlobStore } from '@parley/blob'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { Log } from '../room.ts'
import { forgetObjects, holdDiscarded } from './loose-store.ts'
import { repeating } from './repeating.ts'

/** Objects of one round. */
const portion = 100
/** Milliseconds between rounds. */
const pause = 5000

/** Deletes objects that nothing refers to, whole or begun. @returns how many. */
export const sweepObjects = (database: Database, store: BlobStore): Promise<number> =>
  database.transaction(async ({ sql }) => {
    const keys = await holdDiscarded(sql, portion)
    if (keys.length === 0) return 0
    await store.delete(keys)
    for (const key of keys) await store.parts.abandon(key)
    await forgetObjects(sql, keys)
    return keys.length
  })

/** Sweeps again and again; several processes share the work. */
export const sweepingObjects = (parts: { database: Database; store: BlobStore; log: Log }): Running =>
  repeating({
    pause,
    log: parts.log,
    round: async () => (await sweepObjects(parts.database, parts.store)) === portion,
  })
