/** Writes down what one batch of the log does to a shard's queues, in the form that the append script carries out. */

/** The same records go to the same queues: offsets, then queue numbers. */
export type Delivery = readonly [offsets: readonly number[], queues: readonly number[]]

/** Collects deliveries record by record; queues that received the same records are written once. */
export class Deliveries {
  readonly #byQueue = new Map<number, number[]>()

  add(queue: number, offset: number): void {
    const known = this.#byQueue.get(queue)
    if (known === undefined) this.#byQueue.set(queue, [offset])
    else known.push(offset)
  }

  grouped(): Delivery[] {
    const groups = new Map<string, { offsets: number[]; queues: number[] }>()
    for (const [queue, offsets] of this.#byQueue) {
      const key = offsets.length === 1 ? String(offsets[0]) : offsets.join()
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { offsets, queues: [queue] })
      else group.queues.push(queue)
    }
    return [...groups.values()].map(({ offsets, queues }) => [offsets, queues])
  }
}
