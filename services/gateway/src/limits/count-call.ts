import { ApiError, type Caller } from '@parley/contracts'
import { countedAddress } from '../callers/client-address.ts'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import type { Route } from '../routing/route-table.ts'
import type { Verdict } from './call-log.ts'

/** Writes what is left of the budget into the headers of the answer. */
const tellBudget = (exchange: Exchange, verdict: Verdict): void => {
  exchange.answerHeaders.push(
    'x-ratelimit-limit',
    String(verdict.limit),
    'x-ratelimit-remaining',
    String(verdict.remaining),
    'x-ratelimit-reset',
    String(Math.ceil(verdict.resetAt / 1000)),
  )
}

/** The refusal of a call too many: the exact time in the body, whole seconds that are always enough in the header. */
export const tooManyCalls = ({ wait }: Verdict): ApiError =>
  new ApiError(
    'RATE_LIMIT_HIT',
    'API usage exceeded rate limit',
    { 'retry-after': wait / 1000 },
    { 'retry-after': String(Math.ceil(wait / 1000)) },
  )

/**
 * Counts a call against its account's budget, or its address' when there is no account. Long-polls have a budget of
 * their own, so that waiting for events leaves the other one untouched.
 *
 * @throws ApiError RATE_LIMIT_HIT.
 */
export const countCall = async (
  deps: Deps,
  exchange: Exchange,
  route: Route | undefined,
  caller: Caller | undefined,
): Promise<void> => {
  exchange.isCounted = true
  const verdict =
    caller?.user == null
      ? await deps.limiter.call('anonymous', countedAddress(exchange.address))
      : await deps.limiter.call(route?.endpoint.longPoll === true ? 'poll' : 'user', caller.user.id)
  tellBudget(exchange, verdict)
  if (!verdict.admitted) throw tooManyCalls(verdict)
}
