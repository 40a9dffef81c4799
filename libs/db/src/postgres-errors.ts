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

/** What the server, the driver and sockets say of a connection that is gone, or never was. */
const lostCodes = new Set([
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
  // https://www.postgresql.org/docs/current/errcodes-appendix.html: admin_shutdown, crash_shutdown,
  // cannot_connect_now, idle_session_timeout, idle_in_transaction_session_timeout, too_many_connections
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '53300',
])

/**
 * What a server says that is there and cannot do its work: insufficient resources (class 53), errors of what is outside of
 * it, as its disk (class 58), query_canceled (by a limit).
 */
const isUnable = (code: string): boolean => code.startsWith('53') || code.startsWith('58') || code === '57014'

/** The server could not be reached, or the connection to it is gone. */
export const isLost = (error: unknown): boolean => {
  const code = codeOf(error) ?? ''
  return lostCodes.has(code) || code.startsWith('08')
}

/** A connection that was there is gone; another one may be had at once. */
export const isDropped = (error: unknown): boolean =>
  ['57P01', '57P02', 'CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '')

/**
 * An engine at fault, as EngineUnavailableError; any other error as it is. A statement that was too slow is one too:
 * its `cause` has the code 57014.
 */
export const typed = (error: unknown): unknown =>
  isLost(error) || isUnable(codeOf(error) ?? '')
    ? new EngineUnavailableError('postgres', { cause: error })
    : error

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code
