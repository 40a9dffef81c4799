import { Readable, Transform } from 'node:stream'
import type { realmExport } from '@parley/contracts/identity/events'
import { inTransaction } from '@parley/kit'
import { archiveFolder } from '../realm-data/archive-objects.ts'
import { realmUrl } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { archiveOf, type ReadPart } from './archive.ts'
import { consentingUsers } from './consent-store.ts'
import { announceExports } from './export-announcements.ts'
import { type ClaimedExport, extendLease, storeFailure, storeFinish, storePlace } from './export-store.ts'

/** After so many attempts it is said to have failed. */
const mostAttempts = 8
/** Milliseconds between two signs of life. */
const leasePause = 15_000

type Parts = Pick<Deps, 'database' | 'store' | 'publicUrl' | 'exportLinks' | 'log' | 'leaving'> & {
  readonly read: ReadPart
}

/** Counts what goes through, and stops it when the work is somebody else's by now. */
const counted = () => {
  let bytes = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return { meter, bytes: () => bytes }
}

/** Writes the archive to the store. @returns its bytes. */
const write = async (parts: Parts, claimed: ClaimedExport, key: string): Promise<number> => {
  const { sql } = parts.database
  const realm = (await realmById(sql, claimed.realm_id))!
  const consenting =
    claimed.export_type === 'full_with_consent' ? await consentingUsers(sql, claimed.realm_id) : []
  const facts = {
    id: realm.id,
    subdomain: realm.subdomain,
    name: realm.name,
    url: realmUrl(parts.publicUrl, realm.subdomain),
  }
  const { meter, bytes } = counted()
  const source = Readable.from(
    archiveOf(parts.read, facts, { export_type: claimed.export_type, consenting }),
    { objectMode: false },
  )
  source.on('error', (error) => meter.destroy(error))
  meter.on('close', () => source.destroy())
  const stop = () => meter.destroy(new Error('this process leaves'))
  parts.leaving.signal.addEventListener('abort', stop, { once: true })
  const signs = setInterval(() => {
    extendLease(sql, claimed).then(
      (isOurs) => isOurs || meter.destroy(new Error('another process has taken over')),
      () => {},
    )
  }, leasePause)
  try {
    await (await parts.store()).put(key, source.pipe(meter), { contentType: 'application/x-tar' })
    return bytes()
  } finally {
    parts.leaving.signal.removeEventListener('abort', stop)
    clearInterval(signs)
  }
}

/**
 * Makes an export: each attempt writes an archive of its own, and the one that is stored last with the lease still its is
 * the result. So whoever dies, or wakes up late, leaves nothing but an object that nobody refers to, which the next attempt
 * deletes.
 */
export const makeExport = async (parts: Parts, claimed: ClaimedExport): Promise<void> => {
  const { database, log } = parts
  const key = `${archiveFolder(claimed.realm_id)}${claimed.id}-${claimed.lease}.tar`
  try {
    const store = await parts.store()
    if (claimed.object_key !== null) {
      await store.delete([claimed.object_key])
      await store.parts.abandon(claimed.object_key)
    }
    if (!(await storePlace(database.sql, claimed, key))) return
    const bytes = await write(parts, claimed, key)
    const isOurs = await inTransaction<typeof realmExport, boolean>(database, async (tx) => {
      if (!(await storeFinish(tx.sql, claimed, bytes))) return false
      await announceExports(tx, parts, claimed.realm_id)
      return true
    })
    if (!isOurs) await store.delete([key])
  } catch (error) {
    log.warn({ err: error, exportId: claimed.id, attempt: claimed.attempts }, 'an export failed')
    const pause = claimed.attempts >= mostAttempts ? null : Math.min(2 ** claimed.attempts, 300)
    await inTransaction<typeof realmExport, void>(database, async (tx) => {
      const isOurs = await storeFailure(tx.sql, claimed, (error as Error).message, pause)
      if (isOurs && pause === null) await announceExports(tx, parts, claimed.realm_id)
    })
  }
}
