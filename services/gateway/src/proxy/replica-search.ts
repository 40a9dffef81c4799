import type { Replica, Replicas } from './replicas.ts'

/**
 * How often one request tries an address that refuses connections, and for how long (milliseconds): several processes may
 * share it (a Service of Kubernetes), of which one that was killed is still listed for some seconds.
 */
const mostTries = 6
const longestSearch = 2000

/** Looks for a process that takes one request. */
export class ReplicaSearch {
  readonly #replicas: Replicas
  #replica: Replica | undefined
  #isRepeated = false
  #misses = 0
  #since = 0
  #unreachable: Set<Replica> | undefined

  constructor(replicas: Replicas) {
    this.#replicas = replicas
  }

  /** @throws EngineUnavailableError when there is none left to try. */
  next(): Replica {
    if (!this.#isRepeated || this.#replica === undefined)
      this.#replica = this.#replicas.next(this.#unreachable)
    this.#isRepeated = false
    return this.#replica
  }

  /** The one that was last named could not be connected to: the same address again, or it is left out for a while. */
  missed(): void {
    if (this.#replica === undefined) return
    if (this.#misses === 0) this.#since = performance.now()
    this.#misses += 1
    this.#isRepeated = this.#misses < mostTries && performance.now() - this.#since < longestSearch
    if (this.#isRepeated) return
    this.#unreachable ??= new Set()
    this.#unreachable.add(this.#replica)
    this.#replica.isUnreachable()
    this.#misses = 0
  }
}
