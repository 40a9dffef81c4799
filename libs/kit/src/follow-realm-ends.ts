import { type Bus, consumeEverywhere } from '@parley/bus'
import { realmLifecycleTopic, reportPurge } from '@parley/contracts/identity/realm-lifecycle'
import type { Database } from '@parley/db'
import type { Holdings } from './holdings.ts'
import type { Ask } from './internal-client.ts'
import { purgeHoldings } from './purge-holdings.ts'
import { purgedRows, purgesHere } from './purge-metrics.ts'
import type { Running } from './service.ts'

/** Milliseconds after which what failed is tried again. */
const retryPause = 5000
/** Milliseconds between two reports of how far it has come. */
const reportPause = 2000

interface Log {
  warn(details: object, message: string): void
}

/** Deletes what a service holds of an organization; says now and then how many rows that were. Can be repeated. */
export type Purge = (realmId: number, onProgress: (rows: number) => void) => Promise<void>

export const purgeOf =
  <Deps extends { readonly database: Database }>(holdings: Holdings<Deps>, deps: Deps): Purge =>
  (realmId, onProgress) =>
    purgeHoldings({ database: deps.database, holdings, deps }, realmId, onProgress)

/**
 * Deletes the data of organizations that are to be deleted, one after the other, and tells identity. What is to be done is
 * in the topic until identity takes it out again, so a process that dies leaves it to the others, and to itself when it is
 * back; that several do the same at a time costs time and nothing else.
 */
export const followRealmEnds = async (deps: {
  readonly bus: Bus
  readonly ask: Ask
  readonly log: Log
  /** Permanent: the consumer's name. */
  readonly name: string
  readonly purge: Purge
}): Promise<Running> => {
  const { bus, ask, log, purge } = deps
  const open = new Set<number>()
  let isStopped = false
  let working: Promise<void> | undefined
  let wake = () => {}

  const end = async (realmId: number): Promise<void> => {
    let rows = 0
    let reportedAt = Date.now()
    const report = async (is_done: boolean): Promise<boolean> => {
      const told = rows
      const { goes_on } = await ask(reportPurge, { realm_id: realmId, rows: told, is_done })
      rows -= told
      reportedAt = Date.now()
      return goes_on
    }
    // First: what identity does not want deleted (any more) is left alone.
    if (!(await report(false))) return
    await purge(realmId, (count) => {
      rows += count
      purgedRows.inc(count)
      if (isStopped) throw new Error('stopped')
      if (Date.now() - reportedAt > reportPause) {
        reportedAt = Date.now()
        report(false).catch(() => {})
      }
    })
    await report(true)
  }

  const work = async (): Promise<void> => {
    for (const realmId of open) {
      if (isStopped) return
      try {
        await end(realmId)
        open.delete(realmId)
      } catch (error) {
        if (!isStopped) log.warn({ err: error, realmId }, 'the end of an organization waits')
      }
      purgesHere.set(open.size)
    }
    if (open.size === 0 || isStopped) return
    await new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, retryPause)
    })
    return work()
  }
  const begin = (): void => {
    purgesHere.set(open.size)
    if (working !== undefined || isStopped) return
    working = work().finally(() => {
      working = undefined
      if (open.size > 0) begin()
    })
  }

  const consumer = await consumeEverywhere({
    bus,
    name: deps.name,
    topic: realmLifecycleTopic,
    from: 'beginning',
    handle: (key, value) => {
      if (value === null) {
        open.delete(Number(key))
        return
      }
      open.add(value.realm_id)
      wake()
      begin()
    },
  })
  return {
    stop: async () => {
      isStopped = true
      wake()
      await consumer.stop()
      await working
    },
  }
}
