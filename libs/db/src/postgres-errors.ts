/** Deadlock or serialization failure: nothing happened, and the same work may succeed now. */
export const isWorthRepeating = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** A unique constraint refused a row. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  codeOf(error) === '23505' &&
  (constraint === undefined || (error as { constraint_name?: string }).constraint_name === constraint)

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
  '57P01',
  '57P02',
  '57P03',
  '53300',
])

/** The server could not be reached or is going away. */
export const isAway = (error: unknown): boolean => awayCodes.has(codeOf(error) ?? '')

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code
