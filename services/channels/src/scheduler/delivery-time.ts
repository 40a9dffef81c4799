import { refuse } from '@parley/contracts'

/**
 * `seconds` is a UNIX time.
 *
 * @throws ApiError BAD_REQUEST unless it lies ahead.
 */
export const demandFuture = (seconds: number | undefined): number => {
  if (seconds === undefined || seconds * 1000 <= Date.now()) {
    throw refuse('BAD_REQUEST', 'Scheduled delivery time must be in the future.')
  }
  return seconds
}
