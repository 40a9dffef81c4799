import { type AnyEvent, clientEvents } from '@parley/contracts'
import { z } from 'zod'
import { lastEventPlace } from '../queues/event-ids.ts'
import type { Variant } from './variant.ts'

/** What is kept of a record beside the event's text: what reading it needs. */
const Head = z.object({
  type: z.string(),
  op: z.string().optional(),
  /** The service and transaction of the change. */
  source: z.string(),
  xid: z.number(),
  /** When the change was announced: milliseconds since the epoch. */
  at: z.number(),
  /** Fields that differ for single readers, by user ID. */
  personal: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  traceparent: z.string().optional(),
})
export type Head = z.infer<typeof Head>

/** Bytes of what is kept of an event beside its text: its facts, and the objects around them. */
const beside = 600

/** The form in which a record is stored and sent to waiting processes: one line of facts, then the event as it came. */
export const storedText = (head: Head, event: string): string => `${JSON.stringify(head)}\n${event}`

const declarationKey = (type: string, op: string | undefined): string => `${type}/${op ?? ''}`
const declarations = new Map<string, AnyEvent>(
  Object.values(clientEvents)
    .flat()
    .map((event) => [declarationKey(event.type, event.op), event]),
)

/** Who reads: decides the form of an event. */
export interface Reader {
  readonly userId: number
  readonly variant: Variant
  /** The queue's ID as clients know it: the queue that a message was sent from learns the client's own name for it. */
  readonly queueId: string
}

/**
 * A record on its way to clients. Each client's form of it is written once and shared by all whose form is the same;
 * an event that is alike for everybody is never parsed.
 */
export class StoredEvent {
  readonly offset: number
  readonly head: Head
  /** What it takes in memory, without the forms that are kept while it is in use. */
  readonly bytes: number
  /** Whether it is among those whose forms are kept. */
  isInUse = false
  readonly #text: string
  #parsed: Record<string, unknown> | undefined
  #sendingQueue: string | undefined | null = null
  #written: [Variant, string[]][] = []

  constructor(offset: number, stored: string) {
    const end = stored.indexOf('\n')
    this.offset = offset
    this.head = JSON.parse(stored.slice(0, end)) as Head
    this.bytes = stored.length + beside
    this.#text = stored.slice(end + 1)
  }

  /** JSON of the events that the record becomes for a reader, each without its opening brace. */
  write(reader: Reader): readonly string[] {
    const personal = this.head.personal?.[String(reader.userId)]
    if (personal !== undefined || this.#sentFrom() === reader.queueId) {
      return this.#form(reader.variant, personal ?? {}, this.#sentFrom() === reader.queueId)
    }
    for (const [variant, texts] of this.#written) if (variant === reader.variant) return texts
    const texts = this.#form(reader.variant, {}, false)
    if (this.isInUse) this.#written.push([reader.variant, texts])
    return texts
  }

  /** Forgets its forms: they are several times its text, and written again for whoever reads it late. */
  putAway(): void {
    this.isInUse = false
    this.#parsed = undefined
    this.#written = []
  }

  #event(): Record<string, unknown> {
    const event = this.#parsed ?? (JSON.parse(this.#text) as Record<string, unknown>)
    if (this.isInUse) this.#parsed = event
    return event
  }

  /** ID of the queue that the message was sent from, when it was sent with one. */
  #sentFrom(): string | undefined {
    if (this.#sendingQueue === null) {
      this.#sendingQueue = this.#text.includes('"sending_queue_id"')
        ? (this.#event().sending_queue_id as string | undefined)
        : undefined
    }
    return this.#sendingQueue
  }

  #form(variant: Variant, personal: Record<string, unknown>, isSender: boolean): string[] {
    const { type, op } = this.head
    const shape = declarations.get(declarationKey(type, op))?.shape
    const isPlain = Object.keys(personal).length === 0 && this.#sentFrom() === undefined
    if (shape === undefined && isPlain) return [this.#text.slice(1)]
    const { sending_queue_id: _, local_message_id: localId, ...rest } = this.#event()
    const event = { ...rest, ...personal, ...(isSender ? { local_message_id: localId } : {}) }
    const forms = shape === undefined ? [event] : shape(event, variant.shape)
    if (forms.length > lastEventPlace + 1) {
      throw new Error(`a record of type ${type} became ${forms.length} events`)
    }
    return forms.map((form) => JSON.stringify(form).slice(1))
  }
}
