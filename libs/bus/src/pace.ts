/** Seconds after which what was counted weighs a third of what it did. */
const memory = 0.15

interface Measure {
  /** Of what is counted, as many per second as are worth a millisecond of gathering. */
  readonly perMillisecond: number
  /** Milliseconds of gathering, at most. */
  readonly longest: number
}

/**
 * How long the members of a stream gather before they are handled together, by how many of them come: each batch has a
 * price of its own, and the more come, the less anybody notices a moment that they wait for each other.
 */
export class Pace {
  readonly #measure: Measure
  readonly #now: () => number
  #counted = 0
  #countedAt: number

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(measure: Measure, now: () => number = () => performance.now()) {
    this.#measure = measure
    this.#now = now
    this.#countedAt = now()
  }

  /** So many came. */
  count(number: number): void {
    this.#forget()
    this.#counted += number
  }

  /** Milliseconds that there should be from one batch to the next. */
  get gathering(): number {
    this.#forget()
    const { perMillisecond, longest } = this.#measure
    return Math.min(longest, Math.floor(this.#counted / memory / perMillisecond))
  }

  #forget(): void {
    const now = this.#now()
    this.#counted *= Math.exp((this.#countedAt - now) / 1000 / memory)
    this.#countedAt = now
  }
}
