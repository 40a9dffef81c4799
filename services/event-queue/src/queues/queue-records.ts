/** Records that event-queue itself puts into a shard's log, told apart from client events by the header `kind`. */
import { ClientShape } from '@parley/contracts'
import { z } from 'zod'

export const kindHeader = 'kind'

/** A queue is opened: all that is needed to decide what it receives. Its offset is the queue's number. */
export const QueueOpened = z.strictObject({
  realm: z.int(),
  user: z.int(),
  /** Which of the user's API keys it was opened with, where that is known. */
  key_version: z.int().optional(),
  secret: z.string(),
  /** Null: every type. */
  types: z.array(z.string()).nullable(),
  narrow: z.array(z.tuple([z.string(), z.string()])),
  /** Also messages of public channels that the user is not in. */
  all_public: z.boolean(),
  shape: ClientShape,
  /** Seconds without a poll after which the queue is collected. */
  idle: z.int(),
  /** A queue without state to continue may be read at once; others when their `queue-settled` record came. */
  settled: z.boolean(),
})
export type QueueOpened = z.infer<typeof QueueOpened>

/** What the state that a client received already contains: of one service, these types up to this snapshot. */
export const Known = z.strictObject({
  types: z.array(z.string()),
  snapshot: z.strictObject({ xmin: z.number(), xmax: z.number(), xip: z.array(z.number()) }),
})
export type Known = z.infer<typeof Known>

/** The state was read: events that it contains are taken out of the queue, and the queue may be read. */
export const QueueSettled = z.strictObject({
  queue: z.int(),
  /** By service. */
  known: z.record(z.string(), Known),
})
export type QueueSettled = z.infer<typeof QueueSettled>

/** From here on the shard is served by another release of the server. */
export const Released = z.strictObject({
  name: z.string(),
  /** UNIX seconds. */
  since: z.int(),
  /** JSON text of what clients are told. */
  event: z.string(),
})
export type Released = z.infer<typeof Released>

export type OwnRecordKind = 'queue-opened' | 'queue-settled' | 'released' | 'tick'

/** What is kept of a queue: its opening and, once it is settled, what its client knew. */
export interface QueueEntry {
  readonly opened: QueueOpened
  readonly known: Readonly<Record<string, Known>>
}

/** Proof of ownership that Redis compares. */
export const ownerToken = (queue: { secret: string; user: number; realm: number }): string =>
  `${queue.secret}:${queue.user}:${queue.realm}`
