import { Patient, rest } from '../../faults/patient.ts'

/** Some people of the crowd who do one kind of thing, and know how it must have gone. */
export abstract class Part extends Patient {
  /** Things that were acknowledged. */
  done = 0
  /** How many times as long as usual everybody rests between two things. */
  calm = 1
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()

  protected get isOver(): boolean {
    return this.#isOver
  }

  protected rest(milliseconds: number): Promise<void> {
    return rest(milliseconds * this.calm)
  }

  /** Begins what goes on until the end; what it throws is a problem. */
  protected goOn(...work: Promise<void>[]): void {
    this.#work = Promise.all(
      work.map((one) => one.catch((error: unknown) => void this.problems.push(String(error)))),
    )
  }

  /** Ends the work, and tells everything that went wrong, once what must still arrive has had so many seconds. */
  async finish(seconds: number): Promise<string[]> {
    this.#isOver = true
    await this.#work
    await this.compare(seconds).catch((error: unknown) => void this.problems.push(String(error)))
    return this.problems.map((problem) => `${this.constructor.name}: ${problem}`)
  }

  /** Compares what was acknowledged with what was received and what is stored; adds to `problems`. */
  protected abstract compare(seconds: number): Promise<void>
}
