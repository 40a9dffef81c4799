/**
 * Reading a conversation sets one flag on message after message. What of that one answer would tell in many events, one
 * after the other, it tells in one, with the ID of the last: acknowledging it acknowledges them all.
 */
import type { Reader, StoredEvent } from './stored-event.ts'

const flagType = 'update_message_flags'

interface FlagEvent {
  readonly op: string
  readonly flag: string
  readonly all: boolean
  readonly messages: readonly number[]
  readonly message_details?: Readonly<Record<string, unknown>>
}

/** One flag event of a record, when that is all that the record is for this reader. */
const flagEventOf = (event: StoredEvent, reader: Reader): FlagEvent | undefined => {
  if (event.head.type !== flagType) return undefined
  const forms = event.write(reader)
  return forms.length === 1 ? (JSON.parse(`{${forms[0]}`) as FlagEvent) : undefined
}

const fits = (one: FlagEvent, other: FlagEvent): boolean =>
  one.op === other.op && one.flag === other.flag && !one.all && !other.all

const merged = (one: FlagEvent, other: FlagEvent): FlagEvent => ({
  ...one,
  messages: [...new Set([...one.messages, ...other.messages])],
  ...(one.message_details === undefined && other.message_details === undefined
    ? {}
    : { message_details: { ...one.message_details, ...other.message_details } }),
})

/** What a reader gets of a record, each form JSON without its opening brace. */
export interface Written {
  readonly offset: number
  readonly forms: readonly string[]
}

/** What a reader gets of some records: each record's own, runs of fitting flag events as the last one's. */
export function* withMergedFlags(events: Iterable<StoredEvent>, reader: Reader): Generator<Written> {
  let run: { offset: number; event: FlagEvent; forms: readonly string[] | undefined } | undefined
  const written = (): Written | undefined =>
    run && { offset: run.offset, forms: run.forms ?? [JSON.stringify(run.event).slice(1)] }
  for (const event of events) {
    const { offset } = event
    const flags = flagEventOf(event, reader)
    if (flags !== undefined && run !== undefined && fits(run.event, flags)) {
      run = { offset, event: merged(run.event, flags), forms: undefined }
      continue
    }
    const before = written()
    if (before !== undefined) yield before
    run = flags === undefined ? undefined : { offset, event: flags, forms: event.write(reader) }
    if (run === undefined) yield { offset, forms: event.write(reader) }
  }
  const last = written()
  if (last !== undefined) yield last
}
