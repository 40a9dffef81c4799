import { ApiError, EngineUnavailableError, refuse } from '@parley/contracts'
import type { Logger } from 'pino'
import { isRedisAway } from './redis.ts'

/** Seconds after which a client may try again when something is away. */
const retryAfter = 2

/** Turns whatever was thrown into the refusal to send; what nobody foresaw is logged and stays inside. */
export const refusalFor = (error: unknown, log: Logger, operation: string): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof EngineUnavailableError || isRedisAway(error)) {
    log.warn({ err: error, operation }, 'an engine is away')
    return new ApiError(
      'SERVER_NOT_READY',
      'The server cannot answer this right now. Please try again.',
      {},
      { 'retry-after': String(retryAfter) },
    )
  }
  // fastify's own findings about the request.
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) {
    return refuse('PAYLOAD_TOO_LARGE', 'The request is too large.')
  }
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return refuse('INVALID_JSON', 'Malformed JSON')
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return refuse('BAD_REQUEST', 'The request is malformed.')
  }
  log.error({ err: error, operation }, 'unforeseen error')
  return refuse('INTERNAL_SERVER_ERROR', 'Internal server error')
}
