import { limits } from '@parley/contracts'

/** Seconds after which a poll that got nothing else gets a heartbeat. */
export const heartbeatDelay = (): number =>
  limits.heartbeatMinSeconds + Math.random() * (limits.heartbeatMaxSeconds - limits.heartbeatMinSeconds - 1)

/** One timer for all waiting polls: slots of a second, of which one falls due at each tick. */
export class HeartbeatWheel<T extends { slot: number }> {
  readonly #slots: Set<T>[] = Array.from({ length: 64 }, () => new Set<T>())
  readonly #due: (item: T) => void
  readonly #timer: NodeJS.Timeout
  #now = 0

  constructor(due: (item: T) => void) {
    this.#due = due
    this.#timer = setInterval(() => this.tick(), 1000)
    this.#timer.unref()
  }

  /** Calls `due` with the item after this many seconds (less than 64), unless it is taken off before. */
  put(item: T, seconds: number): void {
    item.slot = (this.#now + Math.max(1, Math.ceil(seconds))) % this.#slots.length
    this.#slots[item.slot]!.add(item)
  }

  takeOff(item: T): void {
    this.#slots[item.slot]?.delete(item)
  }

  tick(): void {
    this.#now = (this.#now + 1) % this.#slots.length
    const slot = this.#slots[this.#now]!
    if (slot.size === 0) return
    this.#slots[this.#now] = new Set()
    for (const item of slot) this.#due(item)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
