import { type Envelope, readClientEvent } from '@parley/bus/client-events'
import { storedText } from '../polls/stored-event.ts'
import type { NarrowedEvent } from '../queues/narrow.ts'

const head = /^\{"type":"(\w+)"(?:,"op":"(\w+)")?[,}]/

/** Type and op, read from the beginning of the text where services put them; parsed only when they are elsewhere. */
const typeAndOp = (text: string): { type: string; op: string | undefined } => {
  const match = head.exec(text)
  if (match !== null && match[2] !== undefined) return { type: match[1]!, op: match[2] }
  if (match !== null && !text.includes('"op":')) return { type: match[1]!, op: undefined }
  const { type, op } = JSON.parse(text) as { type: string; op?: string }
  if (typeof type !== 'string') throw new Error('a client event without a type')
  return { type, op }
}

/** A record of client events, as far as its shard's owner has to understand it. */
export class IncomingEvent {
  readonly offset: number
  readonly envelope: Envelope
  readonly type: string
  readonly op: string | undefined
  readonly text: string
  readonly traceparent: string | undefined
  /** What a snapshot is asked about. */
  readonly identity: { readonly source: string; readonly xid: number; readonly type: string }
  #parsed: NarrowedEvent | undefined

  /** Throws on a value that no relay wrote. */
  constructor(offset: number, value: string, traceparent: string | undefined) {
    const { envelope, event } = readClientEvent(value)
    const { type, op } = typeAndOp(event)
    this.offset = offset
    this.envelope = envelope
    this.type = type
    this.op = op
    this.text = event
    this.traceparent = traceparent
    this.identity = { source: envelope.source, xid: envelope.xid, type }
  }

  /** The form in which it is stored, and read by whoever answers clients. */
  stored(): string {
    const { source, xid, at, personal } = this.envelope
    const { type, op, traceparent } = this
    const head = {
      type,
      ...(op === undefined ? {} : { op }),
      source,
      xid,
      at,
      ...(personal === undefined ? {} : { personal }),
      ...(traceparent === undefined ? {} : { traceparent }),
    }
    return storedText(head, this.text)
  }

  /** The message, with the flags that it has for one reader; only for narrows. */
  messageFor(reader: number): NarrowedEvent {
    this.#parsed ??= JSON.parse(this.text) as NarrowedEvent
    const own = this.envelope.personal?.[String(reader)] as { flags?: string[] } | undefined
    return own?.flags === undefined ? this.#parsed : { message: this.#parsed.message, flags: own.flags }
  }
}
