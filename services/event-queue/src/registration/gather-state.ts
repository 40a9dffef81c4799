import { type Caller, EngineUnavailableError, type SectionOptions, type ServiceName } from '@parley/contracts'
import { registerState, StateHead } from '@parley/contracts/event-queue/register-state'
import type { Ask } from '@parley/kit'
import type { Known } from '../queues/queue-records.ts'
import type { SectionRequest } from './section-plan.ts'
import type { Share } from './state-room.ts'

/** Milliseconds for all services together; clients wait for 15 seconds. */
const deadline = 12_000

export interface GatheredState {
  /** The fields of all sections as those of a JSON object, without its braces, in pieces; never parsed here. */
  readonly pieces: readonly Uint8Array[]
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

const newline = 0x0a

interface State {
  readonly head: StateHead
  readonly pieces: readonly Uint8Array[]
}

/** All of what one service answers. */
const received = async (
  service: ServiceName,
  answer: AsyncIterable<Uint8Array>,
  share: Share,
): Promise<State> => {
  let head: StateHead | undefined
  let line = Buffer.alloc(0)
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of answer) {
      share.add(piece.length)
      if (head !== undefined) {
        pieces.push(piece)
        continue
      }
      line = Buffer.concat([line, piece])
      const end = line.indexOf(newline)
      if (end === -1) continue
      head = StateHead.parse(JSON.parse(line.toString('utf8', 0, end)))
      if (line.length > end + 1) pieces.push(line.subarray(end + 1))
    }
  } catch (error) {
    throw new EngineUnavailableError(service, { cause: error })
  }
  if (head === undefined) throw new EngineUnavailableError(service)
  return { head, pieces }
}

const comma = Buffer.from(',')

/**
 * Asks all services at once for their sections. A state is whole, or it is refused.
 *
 * @throws EngineUnavailableError when a service is away, or its answer broke off.
 */
export const gatherState = async (
  ask: Ask,
  caller: Caller,
  requests: readonly SectionRequest[],
  options: SectionOptions,
  share: Share,
): Promise<GatheredState> => {
  const question = { caller, options }
  const states = await within(
    deadline,
    Promise.all(
      requests.map(async ({ service, sections }) => {
        const answer = await ask(registerState(service), { ...question, sections: [...sections] })
        return received(service, answer, share)
      }),
    ),
  )
  const pieces: Uint8Array[] = []
  const known: Record<string, Known> = {}
  for (const [index, state] of states.entries()) {
    const { service, covers } = requests[index]!
    if (state.pieces.length > 0) {
      if (pieces.length > 0) pieces.push(comma)
      pieces.push(...state.pieces)
    }
    known[service] = { types: [...covers], snapshot: state.head.snapshot }
  }
  return { pieces, known }
}
