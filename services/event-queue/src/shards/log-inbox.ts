import type { ReceivedRecord } from '@parley/bus'

/** The most that one script takes at a time, so that no script keeps Redis from others for long. */
const recordsPerBatch = 256
const charactersPerBatch = 2 * 1024 * 1024

/** Records of a shard's log that were received and are not applied yet: always a piece of the log without a gap. */
export class LogInbox {
  #records: ReceivedRecord[] = []
  /** The record that is to come next; undefined when any may. */
  #next: number | undefined

  get size(): number {
    return this.#records.length
  }

  /** Whether more records would not fit into the next batch. */
  get isFull(): boolean {
    return this.#records.length >= recordsPerBatch
  }

  /** Forgets what was received: the log is (to be) read from this offset; undefined: from wherever it begins. */
  restart(offset: number | undefined): void {
    this.#records = []
    this.#next = offset
  }

  /**
   * Takes what continues the log; what is already here is passed over. False when there would be a gap: records
   * fetched before the log was sought, or a log whose beginning is gone.
   */
  take(records: readonly ReceivedRecord[]): boolean {
    for (const record of records) {
      if (this.#next !== undefined && record.offset < this.#next) continue
      if (this.#next !== undefined && record.offset > this.#next) return false
      this.#records.push(record)
      this.#next = record.offset + 1
    }
    return true
  }

  nextBatch(): ReceivedRecord[] {
    let characters = 0
    let count = 0
    while (count < this.#records.length && count < recordsPerBatch && characters < charactersPerBatch) {
      characters += this.#records[count]!.value?.length ?? 0
      count += 1
    }
    return this.#records.splice(0, count)
  }
}
