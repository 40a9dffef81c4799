import { randomBytes } from 'node:crypto'
import { setTimeout as passing } from 'node:timers/promises'
import type { Database } from '@parley/db'
import type { Log } from '../room.ts'
import { TusRefusal } from './protocol-rules.ts'
import { dropHold, renewHold, takeHold, type UploadRow, uploadOf, wantHold } from './upload-store.ts'

/** Seconds for which a process that says nothing any more keeps an upload to itself. */
const holdSeconds = 6
/** Milliseconds between two signs of life, and between two attempts to become the holder. */
const renewal = 1500
const attempt = 200
/** Milliseconds after which a request gives up waiting for another one to end. */
const patience = 12_000

/** An upload that one request has to itself, among all processes. Every change is made as its `holder`. */
export interface Held {
  readonly upload: UploadRow
  readonly holder: string
  /** Aborted when another request of the client waits, or the upload is lost: who holds it stops and saves what came. */
  readonly wanted: AbortSignal
}

export const uploadNotFound = () => new TusRefusal(404, 'There is no such upload.')

const acquire = async (
  { sql }: Database,
  ownerId: number,
  id: string,
): Promise<{ upload: UploadRow; holder: string }> => {
  const holder = randomBytes(12).toString('base64url')
  const until = Date.now() + patience
  for (;;) {
    if ((await uploadOf(sql, ownerId, id)) === undefined) throw uploadNotFound()
    const upload = await takeHold(sql, id, holder, holdSeconds)
    if (upload !== undefined) return { upload, holder }
    if (Date.now() > until) throw new TusRefusal(423, 'Another request writes to this upload.')
    await wantHold(sql, id)
    await passing(attempt)
  }
}

/**
 * Does something with an upload that nobody else writes to meanwhile, in no process: a request that still does is asked
 * to end (a client that comes back has given it up), and one whose process is gone is waited out.
 *
 * @throws TusRefusal 404 when the account has no such upload, 423 when the other request does not end.
 */
export const holding = async <T>(
  { database, log }: { database: Database; log: Log },
  ownerId: number,
  id: string,
  work: (held: Held) => Promise<T>,
): Promise<T> => {
  const { upload, holder } = await acquire(database, ownerId, id)
  const wanted = new AbortController()
  const timer = setInterval(() => {
    renewHold(database.sql, id, holder, holdSeconds).then(
      (mayGoOn) => {
        if (!mayGoOn) wanted.abort()
      },
      // Without Postgres nothing can be kept any more either; the next statement says so.
      (error) => log.warn({ err: error, upload: id }, 'a hold was not renewed'),
    )
  }, renewal)
  try {
    return await work({ upload, holder, wanted: wanted.signal })
  } finally {
    clearInterval(timer)
    await dropHold(database.sql, id, holder).catch((error) =>
      log.warn({ err: error, upload: id }, 'a hold ends by itself'),
    )
  }
}
