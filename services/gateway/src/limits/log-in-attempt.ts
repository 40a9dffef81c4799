import type { Deps } from '../room.ts'
import { tooManyCalls } from './count-call.ts'

/**
 * Runs an attempt to log in. Failed ones count per user name and organization, however many are under way at once;
 * one that succeeds clears the name, one that never got as far as an answer is not counted.
 *
 * @param tryIt returns the status of the answer.
 * @throws ApiError RATE_LIMIT_HIT; EngineUnavailableError when attempts cannot be counted; what `tryIt` throws.
 */
export const logInAttempt = async (
  deps: Deps,
  who: { realmId: number; userName: string },
  tryIt: () => Promise<number>,
): Promise<number> => {
  const name = `${who.realmId}:${who.userName.normalize('NFKC').trim().toLowerCase()}`
  const attempt = await deps.limiter.attempt(name)
  if (!attempt.verdict.admitted) throw tooManyCalls(attempt.verdict)
  let status = 0
  try {
    status = await tryIt()
    return status
  } finally {
    const settled = status === 200 ? attempt.clear() : status === 401 ? undefined : attempt.giveBack()
    settled?.catch((error) =>
      deps.log.warn({ err: error }, 'an attempt to log in was counted that did not fail'),
    )
  }
}
