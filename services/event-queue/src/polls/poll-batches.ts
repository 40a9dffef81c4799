import type { PollOutcome, PollRequest, ShardStore } from '../store/shard-store.ts'

const perBatch = 500

interface Asked {
  readonly request: () => PollRequest
  readonly answer: (outcome: PollOutcome, position: number) => void
  readonly fail: (error: unknown) => void
}

/**
 * Asks Redis for many polls of a shard at once: what one turn of the event loop brings, and whatever comes while a
 * question is under way, is one script. A poll that comes alone is not kept waiting.
 */
export class PollBatches {
  readonly #store: ShardStore
  readonly #shard: number
  #next: Asked[] = []
  #scheduled = false

  constructor(store: ShardStore, shard: number) {
    this.#store = store
    this.#shard = shard
  }

  /** `request` is made when the question is really asked. */
  ask(asked: Asked): void {
    this.#next.push(asked)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    while (this.#next.length > 0) {
      const batch = this.#next.splice(0, perBatch)
      try {
        const { position, polls } = await this.#store.poll(
          this.#shard,
          batch.map(({ request }) => request()),
        )
        for (const [index, { answer }] of batch.entries()) answer(polls[index]!, position)
      } catch (error) {
        for (const { fail } of batch) fail(error)
      }
    }
    this.#scheduled = false
  }
}
