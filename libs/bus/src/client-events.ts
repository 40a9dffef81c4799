/**
 * Client events on their way: one outbox row per change, one record per recipient shard. The event itself is text
 * from the moment it is written until a client reads it.
 */
import type { Audience } from '@parley/contracts'
import type { OutboxRow } from '@parley/db'

export const clientEventsTopic = 'client-events'

/** What a shard's owner must know of a record before it looks at the event. */
export interface Envelope {
  v: 1
  /** The service that made the change, and its transaction there. */
  source: string
  xid: number
  /** When the change was announced: milliseconds since the epoch. */
  at: number
  realm: number
  /** Recipients in this shard. */
  users?: readonly number[]
  /** All of the realm's queues in this shard. */
  everyone?: true
  /** Also queues with `all_public_streams`. */
  public?: true
  /** Fields of the event that differ for single recipients, by user ID. */
  personal?: Audience['personal']
}

/** The shard that holds a user's queues. Another partition count moves everybody: a drained migration. */
export const shardOf = (userId: number, partitions: number): number => userId % partitions

/** The announcement of a client event, for the transaction that causes it. */
export const clientEventRow = (row: { audience: Audience; event: object }): OutboxRow => ({
  topic: clientEventsTopic,
  key: String(row.audience.realm),
  value: JSON.stringify(row.event),
  audience: row.audience,
})

interface SplitInput {
  readonly audience: Audience
  /** Those of `audience.users` and of the resolved set. */
  readonly users: readonly number[]
  readonly source: string
  readonly xid: number
  readonly at: number
  /** The event's JSON text. */
  readonly event: string
}

/** Divides one announcement into the records of the shards that it touches. */
export const splitByShard = (
  { audience, users, source, xid, at, event }: SplitInput,
  partitions: number,
): { partition: number; value: string }[] => {
  const members: number[][] = []
  const listening = new Set(audience.public?.map((user) => shardOf(user, partitions)))
  for (const user of users) {
    const shard = shardOf(user, partitions)
    const recipients = members[shard]
    if (recipients === undefined) members[shard] = [user]
    else recipients.push(user)
  }
  const records: { partition: number; value: string }[] = []
  for (let partition = 0; partition < partitions; partition += 1) {
    const recipients = members[partition]
    const isListening = listening.has(partition)
    if (recipients === undefined && !isListening && audience.everyone !== true) continue
    const envelope: Envelope = { v: 1, source, xid, at, realm: audience.realm }
    if (recipients !== undefined) envelope.users = recipients
    if (audience.everyone) envelope.everyone = true
    if (isListening) envelope.public = true
    if (audience.personal !== undefined) {
      const own = Object.entries(audience.personal).filter(
        ([id]) => shardOf(Number(id), partitions) === partition,
      )
      if (own.length > 0) envelope.personal = Object.fromEntries(own)
    }
    records.push({ partition, value: `${JSON.stringify(envelope)}\n${event}` })
  }
  return records
}

/** Reads a record's envelope; the event stays text. Throws on anything that {@link splitByShard} did not write. */
export const readClientEvent = (value: string): { envelope: Envelope; event: string } => {
  const end = value.indexOf('\n')
  if (end < 0) throw new Error('not a client event: it has no second line')
  const envelope = JSON.parse(value.slice(0, end)) as Envelope | null
  if (envelope?.v !== 1) throw new Error('not a client event: its envelope is of another version')
  return { envelope, event: value.slice(end + 1) }
}
