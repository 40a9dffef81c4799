import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from './bus.ts'
import { Pace } from './pace.ts'
import type { RelayAlarm } from './relay-alarm.ts'
import type { Batch, RelayLedger } from './relay-ledger.ts'
import type { RelayLoans } from './relay-loans.ts'
import type { RelayPublisher } from './relay-publisher.ts'

/** Milliseconds between looks at the outbox when nobody rings; only a lost ring makes it matter. */
const fallbackPoll = 500
/** Milliseconds for which what was published stays in the outbox, waiting to be forgotten together with a next batch. */
const lingering = 250
/**
 * From a batch of several to the next: a stream goes in fuller batches, of 10 to 20 milliseconds where 500 to 1,000 messages
 * (with an event and a fact each) are sent per second. What comes alone waits for nothing.
 */
const streamPace = { perMillisecond: 100, longest: 20 }
/** Entries of an account that is lent, at most; more are to be forgotten first. */
const lendable = 64
/** Milliseconds between signs of life to the server, which ends the session of a relay that gives none. */
const signOfLife = 1000
/** Milliseconds before a failed batch is tried again: the first time, and at most. */
const [firstPause, longestPause] = [50, 2000]

/** A batch on its way to Kafka. */
interface Sending {
  readonly batch: Batch
  outcome: 'open' | 'published' | 'stopped' | { readonly failure: unknown }
}

/**
 * The life of the active relay: while one batch is being published the next one is recorded. Ends when `stop` is
 * aborted, after the batch in flight (or its first failure).
 *
 * @throws LeadershipLostError, or the error of a database that is away; whatever was in flight has ended then.
 */
export const lead = async (parts: {
  ledger: RelayLedger
  publisher: RelayPublisher
  alarm: RelayAlarm
  loans: RelayLoans
  log: Log
  stop: AbortSignal
}): Promise<void> => {
  const { ledger, publisher, alarm, loans, log, stop } = parts
  const over = new AbortController()
  const isEnding = AbortSignal.any([stop, over.signal])

  /** Tries until it succeeds: an engine that is away delays announcements, it never loses them. */
  const publish = async ({ rows }: Batch): Promise<'published' | 'stopped'> => {
    for (let wait = firstPause; ; wait = Math.min(wait * 2, longestPause)) {
      try {
        await publisher.publish(rows)
        return 'published'
      } catch (error) {
        log.warn({ err: error, retryInMilliseconds: wait }, 'relay: publishing failed')
      }
      await pause(wait, undefined, { signal: isEnding }).catch(() => {})
      if (isEnding.aborted) return 'stopped'
      // Much time may have passed: a relay that has a successor by now must not publish any more.
      await ledger.confirm()
    }
  }

  let underWay: Promise<void> = Promise.resolve()
  const send = (batch: Batch): Sending => {
    const sending: Sending = { batch, outcome: 'open' }
    underWay = publish(batch)
      .then(
        (outcome) => {
          sending.outcome = outcome
        },
        (failure: unknown) => {
          sending.outcome = { failure }
        },
      )
      .finally(alarm.ring)
    return sending
  }

  try {
    await follow({ ledger, alarm, loans, stop, send })
  } finally {
    loans.close()
    over.abort()
    await underWay
  }
}

const nothing: Batch = { rows: [], entries: 0 }

const follow = async (parts: {
  ledger: RelayLedger
  alarm: RelayAlarm
  loans: RelayLoans
  stop: AbortSignal
  send: (batch: Batch) => Sending
}): Promise<void> => {
  const { ledger, alarm, loans, stop, send } = parts
  let next = await ledger.recorded()
  let sending: Sending | undefined
  /** Entries that Kafka has and the ledger still holds. */
  let published = 0
  let heardAt = performance.now()
  let isStream = false
  const pace = new Pace(streamPace)
  alarm.hasNews = true
  for (;;) {
    if (sending !== undefined && sending.outcome !== 'open') {
      if (typeof sending.outcome === 'object') throw sending.outcome.failure
      if (sending.outcome === 'published') published += sending.batch.entries
      sending = undefined
    }
    if (stop.aborted && sending === undefined) break
    if (sending === undefined && next.entries > 0) {
      sending = send(next)
      next = nothing
    }
    const due = sending !== undefined ? signOfLife : published > 0 ? lingering : fallbackPoll
    const left = heardAt + due - performance.now()
    const isFree = next.entries === 0 && !stop.aborted
    const toGather = isStream ? heardAt + pace.gathering - performance.now() : 0
    if (isFree && alarm.hasNews && toGather > 0) {
      await pause(toGather)
      continue
    }
    if (left > 0 && !(isFree && alarm.hasNews)) {
      const account = isFree ? ledger.account() : undefined
      if (account !== undefined && account.size < lendable) loans.offer(account, alarm.ring)
      await alarm.wait(Math.max(1, left))
      const entered = await loans.recall()
      if (entered.length > 0) next = ledger.entered(entered)
      continue
    }
    if (isFree) {
      alarm.hasNews = false
      const { hasMore, ...batch } = await ledger.advance(published)
      published = 0
      next = batch
      pace.count(batch.entries)
      isStream = !hasMore && batch.entries > 2
      if (hasMore) alarm.hasNews = true
    } else {
      await ledger.confirm()
    }
    heardAt = performance.now()
  }
  // So that the successor has nothing to repeat.
  if (published > 0) await ledger.advance(published)
}
