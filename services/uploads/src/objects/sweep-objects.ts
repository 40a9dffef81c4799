import type { BlobStore } from '@parley/blob'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { Log } from '../room.ts'
import { forgetObjects, holdDiscarded } from './loose-store.ts'

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
    for (const key of keys) await store.abandon(key)
    await forgetObjects(sql, keys)
    return keys.length
  })

/** Sweeps again and again; several processes share the work. */
export const sweepingObjects = (parts: { database: Database; store: BlobStore; log: Log }): Running => {
  let isStopped = false
  let round: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const sweep = async (): Promise<void> => {
    try {
      while (!isStopped && (await sweepObjects(parts.database, parts.store)) === portion);
    } catch (error) {
      parts.log.warn({ err: error }, 'objects stay for now')
    }
    if (!isStopped) timer = setTimeout(() => (round = sweep()), pause)
  }
  round = sweep()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await round
    },
  }
}
