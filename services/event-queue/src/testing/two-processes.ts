import { eventually } from '@parley/testkit'
import { expect } from 'vitest'
import type { ShardOwner } from '../shards/shard-owner.ts'
import type { ShardFixture } from './shard-fixture.ts'

/** Two processes of which one has the shard, and the log as it reaches that one. */
export class TwoProcesses {
  readonly #fixture: ShardFixture
  readonly #owners: ShardOwner[]
  #current = 0
  /** Offset of the first record that whoever has the shard was not given. */
  #next: number
  /** What Kafka's consumer does for a partition: one thing after the other. */
  #feeding: Promise<unknown> = Promise.resolve()

  constructor(fixture: ShardFixture, open: (process: number) => ShardOwner) {
    this.#fixture = fixture
    this.#owners = [open(0), open(1)]
    this.#next = fixture.log.start
    this.handOver()
  }

  get owner(): ShardOwner {
    return this.#owners[this.#current]!
  }

  /** The log's new records reach whoever has the shard. */
  feed(): void {
    const { owner } = this
    this.#feeding = this.#feeding.then(() => {
      if (owner !== this.owner) return undefined
      const records = this.#fixture.log.records.slice(this.#next - this.#fixture.log.start)
      if (records.length === 0) return undefined
      this.#next = this.#fixture.log.end
      return owner.receive(records)
    })
  }

  /** The other one gets the shard. */
  handOver(): void {
    this.owner.release()
    this.#take(1 - this.#current)
  }

  /** A process is killed, and started again; its shard, if it has one, comes to the other. */
  replace(process: number, owner: ShardOwner): void {
    const isOwner = process === this.#current
    this.#owners[process]!.release()
    this.#owners[process] = owner
    if (isOwner) this.#take(1 - process)
  }

  #take(process: number): void {
    this.#current = process
    const { owner } = this
    this.#feeding = this.#feeding.then(async () => {
      if (owner === this.owner) this.#next = (await owner.load()) ?? this.#fixture.log.start
    })
    this.feed()
  }

  /** Nothing is left to be done, whoever had to be reminded. */
  async settled(): Promise<void> {
    await eventually(async () => {
      this.feed()
      await this.#feeding
      await this.owner.sweep()
      expect(this.owner.isBusy).toBe(false)
      expect(await this.#fixture.store.position(this.#fixture.shard)).toBe(this.#fixture.log.end)
    })
  }
}
