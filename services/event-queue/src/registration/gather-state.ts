import { type Caller, EngineUnavailableError, type SectionOptions } from '@parley/contracts'
import { registerState } from '@parley/contracts/event-queue/register-state'
import type { Ask } from '@parley/kit'
import type { Known } from '../queues/queue-records.ts'
import type { SectionRequest } from './section-plan.ts'

/** Milliseconds for all services together; clients wait for 15 seconds. */
const deadline = 12_000

export interface GatheredState {
  readonly fields: Readonly<Record<string, unknown>>
  readonly known: Readonly<Record<string, Known>>
}

const within = async <T>(milliseconds: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineUnavailableError('registration')), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Asks all services at once for their sections. A state is whole, or it is refused.
 *
 * @throws EngineUnavailableError when a service is away.
 */
export const gatherState = async (
  ask: Ask,
  caller: Caller,
  requests: readonly SectionRequest[],
  options: SectionOptions,
): Promise<GatheredState> => {
  const answers = await within(
    deadline,
    Promise.all(
      requests.map(({ service, sections }) =>
        ask(registerState(service), { caller, sections: [...sections], options }),
      ),
    ),
  )
  const fields: Record<string, unknown> = {}
  const known: Record<string, Known> = {}
  for (const [index, { state, snapshot }] of answers.entries()) {
    const { service, covers } = requests[index]!
    Object.assign(fields, state)
    const { xmin, xmax, xip } = snapshot
    known[service] = { types: [...covers], snapshot: { xmin, xmax, xip } }
  }
  return { fields, known }
}
