import type { KafkaMessage } from 'kafkajs'

/** A record as a consumer's code sees it. */
export interface ReceivedRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  /** Null is a tombstone. */
  readonly value: string | null
  readonly headers: Record<string, string>
  /** The service whose relay published it, and the record's number there. */
  readonly source: string | undefined
  readonly seq: number | undefined
  /** W3C trace context of the change. */
  readonly traceparent: string | undefined
}

export const receivedRecord = (topic: string, partition: number, message: KafkaMessage): ReceivedRecord => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers ?? {})) headers[name] = String(value)
  return {
    topic,
    partition,
    offset: Number(message.offset),
    key: message.key?.toString() ?? null,
    value: message.value?.toString() ?? null,
    headers,
    source: headers.source,
    seq: headers.seq === undefined ? undefined : Number(headers.seq),
    traceparent: headers.traceparent,
  }
}
