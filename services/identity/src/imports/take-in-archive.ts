import { ApiError } from '@parley/contracts'
import {
  type ArchiveManifest,
  type DataHolder,
  dataHolders,
  dataQuestions,
  type IdShifts,
} from '@parley/contracts/realm-data'
import { takeInFile } from '@parley/contracts/uploads/archive-questions'
import { reserveIds, takeInRows } from '@parley/kit/take-in-holdings'
import { BrokenArchiveError, type TarEntry, TarReader, tarPadding } from '@parley/kit/tar'
import { holdings } from '../realm-data/holdings.ts'
import { realmHost } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { announceArrivals } from './announce-arrivals.ts'
import { ArchiveCheck, linesOf } from './check-archive.ts'
import { type ClaimedImport, importById, storeImportFailure, storeStep } from './import-store.ts'

/** After so many attempts it is said to have failed. */
const mostAttempts = 20
/** Bytes after which it is stored how far a check has come. */
const checkpoint = 64 * 1024 * 1024

const isHolder = (service: string): service is DataHolder => dataHolders.some((name) => name === service)

const content = async (deps: Deps, key: string, offset = 0, length?: number) => {
  const store = await deps.store()
  const found = await store.get(key, length === undefined ? undefined : { offset, length })
  if (found === undefined) throw new BrokenArchiveError('the archive is gone')
  return found
}

/** Reads all of it once; then ranges of IDs are kept free. */
const check = async (deps: Deps, claimed: ClaimedImport): Promise<void> => {
  const { sql } = deps.database
  const seen = new ArchiveCheck()
  let told = 0
  for await (const chunk of await content(deps, claimed.archive_key)) {
    deps.leaving.signal.throwIfAborted()
    await seen.reader.take(chunk as Buffer)
    if (seen.reader.offset - told > checkpoint) {
      told = seen.reader.offset
      await storeStep(sql, claimed, { stage: 'checking', position: told })
    }
  }
  const manifest = seen.end()
  const shifts: Record<string, IdShifts[string]> = {}
  for (const { service, ids } of manifest.parts) {
    if (!isHolder(service)) throw new BrokenArchiveError(`there is no ${service} here`)
    const reserved =
      service === 'identity'
        ? await reserveIds(deps.database, holdings, ids)
        : (await deps.ask(dataQuestions(service).reserveIds, { ids })).shifts
    Object.assign(shifts, reserved)
  }
  await storeStep(sql, claimed, { stage: 'taking_in', position: 0, manifest, shifts })
}

interface Arriving {
  readonly manifest: ArchiveManifest
  readonly shifts: IdShifts
  readonly realmHost: string
}

/** Where the next entry begins. */
const after = ({ offset, size }: TarEntry): number => offset + size + tarPadding(size).length

const takeInEntry = async (
  deps: Deps,
  claimed: ClaimedImport,
  { manifest, shifts, realmHost }: Arriving,
  entry: TarEntry,
  held: Buffer | undefined,
): Promise<void> => {
  const { realm_id, archive_key, as_stubs } = claimed
  const [service, table, ...rest] = entry.name.split('/')
  if (service === undefined || table === undefined || !isHolder(service)) return
  const origin = { realm_id: manifest.realm.id, url: manifest.realm.url }
  if (held !== undefined) {
    const rows = linesOf(held) as Record<string, never>[]
    if (service === 'identity') {
      const context = { realmId: realm_id, realmHost, origin, shifts, asStubs: as_stubs }
      await takeInRows({ database: deps.database, holdings, deps }, table, rows, context)
    } else {
      const common = { realm_id, realm_host: realmHost, origin, shifts, as_stubs }
      await deps.ask(dataQuestions(service).takeInRows, { ...common, table, rows })
    }
  } else if (service === 'uploads' && (table === 'files' || table === 'images')) {
    await deps.ask(takeInFile, {
      realm_id,
      shifts,
      origin,
      entry: [table, ...rest].join('/'),
      archive: { key: archive_key, offset: entry.offset, size: entry.size },
    })
  }
}

const isRows = ({ name }: TarEntry): boolean =>
  /^[a-z-]+\/[a-z_]+\/\d{6}\.jsonl$/.test(name) && !name.includes('/checksums/')

/** Entry after entry, from where it was left: what was given before is known by its ID. */
const takeIn = async (deps: Deps, claimed: ClaimedImport): Promise<void> => {
  const { sql } = deps.database
  const { manifest, shifts, realm_id } = claimed
  const realm = (await realmById(sql, realm_id))!
  const arriving = {
    manifest: manifest!,
    shifts: shifts!,
    realmHost: realmHost(deps.publicUrl, realm.subdomain),
  }
  const reader = new TarReader({
    offset: claimed.position,
    wants: isRows,
    onEntry: async (entry, _sha256, held) => {
      deps.leaving.signal.throwIfAborted()
      await takeInEntry(deps, claimed, arriving, entry, held)
      await storeStep(sql, claimed, { stage: 'taking_in', position: after(entry) })
    },
  })
  const left = claimed.total - claimed.position
  for await (const chunk of await content(deps, claimed.archive_key, claimed.position, left)) {
    await reader.take(chunk as Buffer)
  }
  reader.end()
  for (const service of dataHolders) {
    if (service !== 'identity') await deps.ask(dataQuestions(service).settleRealm, { realm_id })
  }
  await storeStep(sql, claimed, { stage: 'announcing', position: 0 })
}

/** What the archive is to blame for will not be better the next time. */
const isHopeless = (error: unknown): boolean =>
  error instanceof BrokenArchiveError ||
  error instanceof SyntaxError ||
  (error instanceof ApiError && error.error === 'BAD_REQUEST')

/** Goes on with an import until it is done, or something fails; the next one goes on from there. */
export const takeInArchive = async (deps: Deps, claimed: ClaimedImport): Promise<void> => {
  const { sql } = deps.database
  try {
    for (let current = claimed; ; ) {
      if (current.stage === 'checking') await check(deps, current)
      else if (current.stage === 'taking_in') await takeIn(deps, current)
      else if (current.stage === 'announcing') await announceArrivals(deps, current)
      else break
      current = { ...(await importById(sql, claimed.id))!, lease: claimed.lease }
    }
    // What was stored for the import only; exports stay.
    if (claimed.archive_key.startsWith('imports/')) {
      await (await deps.store()).delete([claimed.archive_key])
    }
  } catch (error) {
    deps.log.warn({ err: error, importId: claimed.id, attempt: claimed.attempts }, 'an import stopped')
    const isOver = isHopeless(error) || claimed.attempts >= mostAttempts
    const pause = isOver ? null : Math.min(2 ** claimed.attempts, 300)
    await storeImportFailure(sql, claimed, (error as Error).message, pause)
  }
}
