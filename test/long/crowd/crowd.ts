import { type StackAddress, World } from '@parley/testkit'
import { Workload } from '../../faults/workload.ts'
import { Callers } from './callers.ts'
import { Comers } from './comers.ts'
import { Editors } from './editors.ts'
import type { Part } from './part.ts'
import { Passers } from './passers.ts'
import { Uploaders } from './uploaders.ts'

/** Everybody who uses a system while something is done to it: talkers, editors, comers, uploaders, bots, passers-by. */
export class Crowd {
  readonly talk: Workload
  readonly uploaders: Uploaders
  readonly #parts: Part[]

  private constructor(talk: Workload, uploaders: Uploaders, parts: Part[]) {
    this.talk = talk
    this.uploaders = uploaders
    this.#parts = parts
  }

  /** `pause`: milliseconds that each of the four talkers rests after a send; `calm`: how much slower all others are. */
  static async start(
    stack: StackAddress,
    { pause, calm = 1 }: { pause: number; calm?: number },
  ): Promise<Crowd> {
    const world = await World.create(stack)
    const uploaders = await Uploaders.start(world)
    const parts = [
      await Editors.start(world, 2),
      await Comers.start(world),
      uploaders,
      await Callers.start(world),
      await Passers.start(world),
    ]
    for (const part of parts) part.calm = calm
    const talk = await Workload.start(stack, { senders: 4, receivers: 6, pause })
    return new Crowd(talk, uploaders, parts)
  }

  /** What was acknowledged so far, by who did it. */
  get done(): Record<string, number> {
    return {
      Workload: this.talk.acknowledged.length,
      ...Object.fromEntries(this.#parts.map((part) => [part.constructor.name, part.done])),
    }
  }

  /** Requests that got no success. */
  get failures(): string[] {
    return [...this.talk.failures, ...this.#parts.flatMap(({ failures }) => failures)]
  }

  /** Everybody stops; what must still arrive has so many seconds. Everything that went wrong. */
  async finish(seconds: number): Promise<string[]> {
    const lists = await Promise.all([
      this.talk.finish(seconds),
      ...this.#parts.map((part) => part.finish(seconds)),
    ])
    return lists.flat()
  }
}
