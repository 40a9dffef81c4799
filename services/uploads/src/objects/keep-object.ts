import type { Readable } from 'node:stream'
import type { BlobStore } from '@parley/blob'
import type { Database } from '@parley/db'
import type { Log } from '../room.ts'
import { dropObjects, expectObject } from './loose-store.ts'
import { findingOf, measured } from './measured.ts'

interface Parts {
  readonly database: Database
  readonly store: BlobStore
  readonly log: Log
}

/**
 * Stores what arrives, at the pace of the store, and keeps nothing of what fails. It is to be taken in (`takeInObject`)
 * within a day.
 *
 * @returns its length in bytes.
 * @throws ApiError BAD_REQUEST when it is longer than `limit` MiB; EngineUnavailableError.
 */
export const keepObject = async (
  { database, store, log }: Parts,
  key: string,
  sent: { content: Readable; type: string; limit: number },
): Promise<number> => {
  await expectObject(database.sql, key)
  const content = measured(sent.content, sent.limit)
  try {
    await store.put(key, content, { contentType: sent.type })
    return content.bytes
  } catch (error) {
    content.destroy()
    await discardObject({ database, store, log }, key)
    throw findingOf(error)
  }
}

/** Gives up an object that was not taken in. What goes wrong here is the sweeper's. */
export const discardObject = async (
  { database, log }: Omit<Parts, 'store'> & Partial<Parts>,
  key: string,
) => {
  await dropObjects(database.sql, [key]).catch((error) => log.warn({ err: error, key }, 'object stays'))
}
