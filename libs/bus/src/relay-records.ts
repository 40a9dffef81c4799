import type { Span } from '@opentelemetry/api'
import type { Audience } from '@parley/contracts'
import { clientEventsTopic, splitByShard } from './client-events.ts'
import type { OutgoingRecord } from './ordered-producer.ts'
import type { NumberedRow } from './relay-ledger.ts'
import { producerSpan } from './trace.ts'

/**
 * Writes out a set of users that an announcement names instead of listing: the same for the same arguments, for ever. What is
 * published again goes to the same people, among them those who were told of it in advance.
 */
export type AudienceResolver = (args: Record<string, unknown>) => Promise<readonly number[]>

/** What turns announcements into records. */
export interface RecordMaking {
  /** The service that announces. */
  readonly source: string
  /** Of the topic client-events. */
  readonly partitions: number
  readonly resolvers: Record<string, AudienceResolver>
}

/** What becomes of one announcement. */
export interface Announced {
  readonly records: readonly OutgoingRecord[]
  /** Of publishing them, open; undefined when nobody watches. */
  readonly span: Span | undefined
  /** Of that span, for whoever does the publishing. */
  readonly traceparent: string | undefined
}

/** The records of one announcement: one of a fact; of a client event one for each shard that it touches. */
export const announced = (row: NumberedRow, making: RecordMaking): Announced | Promise<Announced> => {
  if (row.topic !== clientEventsTopic) return fact(row, making)
  const audience = audienceOf(row)
  if (audience.resolve === undefined) return clientEvent(row, audience, audience.users ?? [], making)
  return resolved(audience, making.resolvers).then((users) => clientEvent(row, audience, users, making))
}

const fact = (row: NumberedRow, { source }: RecordMaking): Announced => {
  const { headers, span, traceparent } = labelled(row, source)
  const value = row.value === 'null' ? null : row.value
  return { records: [{ key: row.key, value, headers }], span, traceparent }
}

const clientEvent = (
  row: NumberedRow,
  audience: Audience,
  users: readonly number[],
  { source, partitions }: RecordMaking,
): Announced => {
  const { headers, span, traceparent } = labelled(row, source)
  const { key, xid, at, value: event } = row
  const split = splitByShard({ audience, users, source, xid, at, event }, partitions)
  const records = split.map(({ partition, value }) => ({ key, value, partition, headers }))
  return { records, span, traceparent }
}

const labelled = (row: NumberedRow, source: string) => {
  const headers: Record<string, string> = { source, seq: String(row.seq) }
  const { span, traceparent } = producerSpan(row.topic, row.traceparent)
  if (traceparent !== undefined) headers.traceparent = traceparent
  return { headers, span, traceparent }
}

/** Rows are written by our own typed code: enough is checked here to tell a row of somebody else's. */
const audienceOf = (row: NumberedRow): Audience => {
  const audience = row.audience as Audience | null
  if (typeof audience?.realm !== 'number') throw new Error('a client event without an audience')
  return audience
}

const resolved = async (
  { users, resolve }: Audience,
  resolvers: Record<string, AudienceResolver>,
): Promise<readonly number[]> => {
  const resolver = resolvers[resolve!.name]
  if (resolver === undefined) throw new Error(`no audience is called ${resolve!.name}`)
  const members = await resolver(resolve!.args)
  return users === undefined || users.length === 0 ? members : [...new Set([...users, ...members])]
}
