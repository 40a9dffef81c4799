import { ApiError, EngineUnavailableError } from '@parley/contracts'
import { Histogram } from 'prom-client'
import type { OutgoingMessage, SendOutcome } from './send-store.ts'

/** Messages in one batch, at most. */
const batchLimit = 200
/** Messages that wait for their batch, at most: beyond, senders are told to come back. */
const waitingLimit = 5000

const batchSize = new Histogram({
  name: 'parley_message_batch_size',
  help: 'Messages that were stored by one statement.',
  buckets: [1, 2, 5, 10, 20, 50, 100, 200],
})

interface Waiting {
  readonly message: OutgoingMessage
  readonly resolve: (outcome: SendOutcome) => void
  readonly reject: (reason: unknown) => void
}

export interface MessageSender {
  /**
   * Stores a message together with those that arrive while the batch before it is on its way; alone and at once when
   * none is.
   *
   * @throws ApiError SERVER_NOT_READY when too many wait already; EngineUnavailableError when Postgres is away.
   */
  send(message: OutgoingMessage): Promise<SendOutcome>
}

/**
 * Groups messages: one batch in flight at a time, and whatever came meanwhile is the next one. So the database sees few,
 * full statements under load, and a single sender waits for nobody.
 */
export const messageBatcher = (
  store: (batch: readonly OutgoingMessage[]) => Promise<SendOutcome[]>,
): MessageSender => {
  let waiting: Waiting[] = []
  let isSending = false

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    batchSize.observe(batch.length)
    try {
      const outcomes = await store(batch.map((one) => one.message))
      for (const [place, one] of batch.entries()) one.resolve(outcomes[place]!)
    } catch (error) {
      if (batch.length === 1 || error instanceof EngineUnavailableError) {
        for (const one of batch) one.reject(error)
        return
      }
      // One of them cannot be stored; the statement stored none. The others must not suffer for it.
      for (const one of batch) await settle([one])
    }
  }

  const work = async (): Promise<void> => {
    isSending = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchLimit)
      waiting = waiting.slice(batchLimit)
      await settle(batch)
    }
    isSending = false
  }

  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= waitingLimit) {
          reject(
            new ApiError(
              'SERVER_NOT_READY',
              'Too many messages are being sent. Please try again.',
              {},
              {
                'retry-after': '1',
              },
            ),
          )
          return
        }
        waiting.push({ message, resolve, reject })
        if (!isSending) void work()
      }),
  }
}
