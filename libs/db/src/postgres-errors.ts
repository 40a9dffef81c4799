import { EngineUnavailableError } from '@parley/contracts'

/** Deadlock or serialization failure: nothing happened, and the same work may succeed now. */
export const isWorthRepeating = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** A unique constraint refused a row. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  codeOf(error) === '23505' &&
  (constraint === undefined || (error as { constraint_name?: string }).constraint_name === constraint)

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, and what sockets and the driver say. */
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
  '57P01',
  '57P02',
  '57P03',
  '53300',
  // disk_full, out_of_memory
  '53100',
  '53200',
  // idle_session_timeout, idle_in_transaction_session_timeout
  '57P05',
  '25P03',
])

/** query_canceled: the statement ran into the server's statement_timeout. */
const tooSlow = '57014'

/** The server could not be reached, or cannot do its work now. */
export const isAway = (error: unknown): boolean => {
  const code = codeOf(error) ?? ''
  return awayCodes.has(code) || code.startsWith('08')
}

/**
 * An engine at fault, as EngineUnavailableError; any other error as it is. A statement that was too slow is one too:
 * its `cause` has the code 57014.
 */
export const typed = (error: unknown): unknown =>
  isAway(error) || codeOf(error) === tooSlow
    ? new EngineUnavailableError('postgres', { cause: error })
    : error

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code
