import { type Caller, EngineUnavailableError } from '@parley/contracts'
import { newestMessage } from '@parley/contracts/channels/internals'
import type { Ask } from '@parley/kit'

/** Milliseconds after which the answer goes out without it. */
const patience = 1500

/** What accounts are told that have no message. */
const none = -1

/**
 * The newest message that an account can see, -1 when there is none, or channels does not say in time. Who asks who it is,
 * as every client does first, is told: the number is an old convenience of that answer, and of no use to a client that
 * gets no messages now. So no 503, for which bots would not start that need nothing of channels; and no waiting for longer:
 * whoever begins with this number begins by a registration, which says it exactly or not at all.
 */
export const newestMessageInTime = async (ask: Ask, caller: Caller): Promise<number> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<number>((resolve) => {
    timer = setTimeout(resolve, patience, none)
  })
  const told = ask(newestMessage, { caller }).then(
    ({ max_message_id }) => max_message_id,
    (error) => {
      if (error instanceof EngineUnavailableError) return none
      throw error
    },
  )
  try {
    return await Promise.race([told, late])
  } finally {
    clearTimeout(timer)
    // Whatever it says later is not asked any more.
    told.catch(() => {})
  }
}
