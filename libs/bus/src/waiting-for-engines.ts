import { EngineUnavailableError } from '@parley/contracts'

/** PostgreSQL's query_canceled: the statement was too slow, which may be its own fault. */
const tooSlow = '57014'

/**
 * Whether an engine is away, so that waiting helps. A statement that ran into its time limit is told by the same
 * error, but counts as a failure of what was attempted: one slow record must not hold up its partition for ever.
 */
export const isEngineAway = (error: unknown): error is EngineUnavailableError =>
  error instanceof EngineUnavailableError && (error.cause as { code?: string } | undefined)?.code !== tooSlow
