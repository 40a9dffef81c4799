/** Seconds after which what was counted weighs a third of what it did. */
const memory = 0.15
/** Deliveries per second for which records may gather a millisecond. */
const perMillisecond = 100
/** Milliseconds that records gather at most. */
const longest = 120

/**
 * How long a shard's records gather before they are applied, by how much this process delivers to queues: a poll that is
 * answered with five events costs little more than one answered with one. A record that comes alone is never kept
 * waiting; of a process that delivers twelve thousand events per second, each client is answered 8 times per second.
 */
export class DeliveryPace {
  readonly #now: () => number
  #counted = 0
  #countedAt: number

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#countedAt = now()
  }

  /** So many events were put into queues. */
  delivered(count: number): void {
    this.#forget()
    this.#counted += count
  }

  /** Milliseconds that there should be between two appends of a shard. */
  get gathering(): number {
    this.#forget()
    return Math.min(longest, Math.floor(this.#counted / memory / perMillisecond))
  }

  #forget(): void {
    const now = this.#now()
    this.#counted *= Math.exp((this.#countedAt - now) / 1000 / memory)
    this.#countedAt = now
  }
}
