import { type Bus, clientEventsTopic, currentTraceparent, splitByShard } from '@parley/bus'
import type { AnyEvent, Audience, EventData } from '@parley/contracts'
import { Counter } from 'prom-client'
import type { Log } from '../room.ts'

const lost = new Counter({
  name: 'parley_live_events_lost_total',
  help: 'Presence and typing events that Kafka did not take.',
})

/** Events on their way to Kafka; more than that are dropped, so that an absent Kafka costs no memory. */
const mostUnderWay = 10_000

/**
 * An ID that no snapshot of the database contains: an event told past the database is never taken for part of the state
 * that a client registered with.
 */
const inNoSnapshot = Number.MAX_SAFE_INTEGER

/** Tells clients what is only worth telling now. Nothing is stored, nobody waits, and what is lost is lost. */
export interface LiveEvents {
  emit<E extends AnyEvent>(event: E, to: Omit<Audience, 'resolve'>, data: EventData<E>): void
}

export const liveEvents = (parts: {
  bus: Pick<Bus, 'publish'>
  partitions: number
  log: Log
}): LiveEvents => {
  const { bus, partitions, log } = parts
  let underWay = 0
  return {
    emit(event, to, data) {
      const { type, op } = event
      const records = splitByShard(
        {
          audience: to,
          users: to.users ?? [],
          source: 'presence',
          xid: inNoSnapshot,
          at: Date.now(),
          event: JSON.stringify(op === undefined ? { type, ...data } : { type, op, ...data }),
        },
        partitions,
      )
      const traceparent = currentTraceparent()
      const headers = traceparent === undefined ? {} : { traceparent }
      for (const { partition, value } of records) {
        if (underWay >= mostUnderWay) {
          lost.inc()
          continue
        }
        underWay += 1
        bus
          .publish(clientEventsTopic, { key: String(to.realm), value, partition, headers })
          .catch((error: unknown) => {
            lost.inc()
            log.warn({ err: error, type }, 'an event was lost that may be')
          })
          .finally(() => {
            underWay -= 1
          })
      }
    },
  }
}
