import kafkajs from 'kafkajs'

const { KafkaJSError, KafkaJSProtocolError } = kafkajs

/** Kafka is away, or so busy with itself (elections, loading) that the same request may succeed later. */
export const isWorthWaiting = (error: unknown): boolean => {
  if (!(error instanceof KafkaJSError)) return false
  if (isTooLarge(error)) return false
  const cause = (error as { cause?: unknown }).cause
  if (cause instanceof Error && cause !== error && cause instanceof KafkaJSProtocolError)
    return isWorthWaiting(cause)
  return true
}

/** A record that no broker will ever take. */
export const isTooLarge = (error: unknown): boolean => {
  const { type, cause } = error as { type?: string; cause?: unknown }
  return (
    type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE' || (cause != null && isTooLarge(cause))
  )
}
