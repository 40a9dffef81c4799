import { clientEventRow } from '@parley/bus/client-events'
import type { AnyEvent, Audience, EventData, TopicDeclaration } from '@parley/contracts'
import type { Database, OutboxRow, Transaction } from '@parley/db'

/** A database transaction in which a change and all that is announced of it commit together, or not at all. */
export interface Tx<Events extends AnyEvent = AnyEvent> {
  readonly sql: Transaction['sql']
  /** Tells clients: `to` is decided now, in the transaction that makes it true. */
  emit<E extends Events>(event: E, to: Audience, data: EventData<E>): void
  /** Tells other services. Null says that the entity is gone (a tombstone on a compacted topic). */
  publish<V>(topic: TopicDeclaration<V>, key: string | number, value: V | null): void
  /** Runs once the change is durable; for caches, never for announcements. */
  afterCommit(action: () => void): void
}

/** What `publish` announces, for a statement that writes its announcement by itself. */
export const topicRow = <V>(
  topic: TopicDeclaration<V>,
  key: string | number,
  value: V | null,
): OutboxRow => ({
  topic: topic.name,
  key: String(key),
  value: JSON.stringify(value),
})

/** Dresses a plain database transaction for the code of a service. */
export const announcing = <Events extends AnyEvent>(tx: Transaction): Tx<Events> => ({
  sql: tx.sql,
  emit: (event, to, data) => {
    const body =
      event.op === undefined ? { type: event.type, ...data } : { type: event.type, op: event.op, ...data }
    tx.enqueue(clientEventRow({ audience: to, event: body }))
  },
  publish: (topic, key, value) => tx.enqueue(topicRow(topic, key, value)),
  afterCommit: (action) => tx.afterCommit(action),
})

/** Runs `work` in one transaction; it may run again after a deadlock, so it must have no effect outside of it. */
export const inTransaction = <Events extends AnyEvent, T>(
  database: Database,
  work: (tx: Tx<Events>) => Promise<T>,
): Promise<T> => database.transaction((tx) => work(announcing<Events>(tx)))
