import { EngineUnavailableError } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { messageBatcher } from './message-batcher.ts'
import type { OutgoingMessage, SendOutcome } from './send-store.ts'

const message = (content: string): OutgoingMessage => ({ content }) as OutgoingMessage

/** Everything that is due now has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A store whose batches stay on their way until the test lets them arrive. */
const slowStore = () => {
  const batches: { contents: string[]; arrive: () => void; fail: (error: unknown) => void }[] = []
  let written = 0
  const store = (batch: readonly OutgoingMessage[]): Promise<SendOutcome[]> =>
    new Promise((resolve, reject) => {
      batches.push({
        contents: batch.map((one) => one.content),
        arrive: () =>
          resolve(
            batch.map(() => {
              written += 1
              return { outcome: 'sent', id: written, sent_at_seconds: 0, new_policy: null }
            }),
          ),
        fail: reject,
      })
    })
  return { batches, store }
}

describe('the batcher', () => {
  it('sends one message alone at once, and what came meanwhile together, in order', async () => {
    const { batches, store } = slowStore()
    const sender = messageBatcher(store)
    const sent = ['a', 'b', 'c', 'd'].map((content) => sender.send(message(content)))
    expect(batches.map((batch) => batch.contents)).toEqual([['a']])
    batches[0]!.arrive()
    await sent[0]
    await settled()
    expect(batches.map((batch) => batch.contents)).toEqual([['a'], ['b', 'c', 'd']])
    batches[1]!.arrive()
    expect((await Promise.all(sent)).map((outcome) => outcome.id)).toEqual([1, 2, 3, 4])
    await settled()
    void sender.send(message('e'))
    expect(batches.at(-1)!.contents).toEqual(['e'])
  })

  it('lets one message that cannot be stored spoil no other', async () => {
    const sender = messageBatcher(async (batch) => {
      if (batch.some((one) => one.content === 'bad')) throw new Error('cannot be stored')
      return batch.map((one) => ({
        outcome: 'sent',
        id: Number(one.content),
        sent_at_seconds: 0,
        new_policy: null,
      }))
    })
    const sent = await Promise.allSettled(
      ['1', '2', 'bad', '3'].map((content) => sender.send(message(content))),
    )
    expect(sent.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  })

  it('does not try again what may have been stored: an engine that went away fails the batch', async () => {
    const { batches, store } = slowStore()
    const sender = messageBatcher(store)
    const sent = ['a', 'b', 'c'].map((content) => sender.send(message(content)))
    batches[0]!.arrive()
    await sent[0]
    await settled()
    batches[1]!.fail(new EngineUnavailableError('postgres'))
    const rest = await Promise.allSettled(sent.slice(1))
    expect(rest.map((one) => one.status)).toEqual(['rejected', 'rejected'])
    expect(batches).toHaveLength(2)
  })

  it('turns senders away when too many wait', async () => {
    const { store } = slowStore()
    const sender = messageBatcher(store)
    const sent = Array.from({ length: 5002 }, (_, n) => sender.send(message(String(n))))
    await expect(sent.at(-1)).rejects.toMatchObject({ error: 'SERVER_NOT_READY' })
  })
})
