import kafkajs from 'kafkajs'

const { KafkaJSError, KafkaJSAggregateError, KafkaJSProtocolError } = kafkajs

/** https://kafka.apache.org/protocol.html#protocol_error_codes: what no broker will ever take, however often asked. */
const refusals = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_REQUIRED_ACKS',
  'INVALID_TIMESTAMP',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_REQUEST',
  'UNSUPPORTED_VERSION',
])

/** Errors that the client makes of the wrong use of itself; everything else it says is about brokers and networks. */
const misuse = new Set(['KafkaJSNonRetriableError', 'KafkaJSNotImplemented', 'KafkaJSInvariantViolation'])

/**
 * Kafka is away, or busy with itself (elections, loading), or set up wrongly: the same request may succeed later.
 * False for what can never succeed, and for errors that are not Kafka's.
 */
export const isWorthWaiting = (error: unknown): boolean => {
  if (error instanceof KafkaJSAggregateError) return error.errors.every(isWorthWaiting)
  if (!(error instanceof KafkaJSError)) return false
  const cause = causeOf(error)
  if (cause instanceof KafkaJSError) return isWorthWaiting(cause)
  if (error instanceof KafkaJSProtocolError) return !refusals.has(error.type)
  // A programming error that the client wrapped when it gave up.
  if (cause instanceof Error) return false
  return !misuse.has(error.name)
}

/** A record, or a request of many, that is larger than the broker takes. */
export const isTooLarge = (error: unknown): boolean => {
  const type = (error as { type?: string } | null)?.type
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE') return true
  const cause = causeOf(error)
  return cause !== undefined && isTooLarge(cause)
}

const causeOf = (error: unknown): unknown => {
  const cause = (error as { cause?: unknown } | null)?.cause
  return cause === error || cause === null ? undefined : cause
}
