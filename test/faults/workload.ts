import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { comesTrue, Patient, PatientReader, rest } from './patient.ts'

/** Somebody who receives messages, and the IDs of those in the order of their arrival. */
class Receiver extends PatientReader {
  readonly ids: number[]

  constructor(user: TestUser) {
    const ids: number[] = []
    super(user, (event) => {
      if (event.type === 'message') ids.push(event.message.id)
    })
    this.ids = ids
  }
}

/**
 * People who talk in one channel while things are killed. Every send is repeated (with the same `local_id`) until it
 * is acknowledged, so at the end each client must have received exactly the acknowledged messages, in order.
 */
export class Workload {
  readonly acknowledged: number[] = []
  readonly receivers: Receiver[] = []
  /** Milliseconds from each send to its acknowledgement, repetitions included. */
  readonly sendTimes: number[] = []
  readonly #sending = new Patient()
  readonly #pause: number
  #isOver = false
  #senders: Promise<void>[] = []

  /** `sendPause`: milliseconds that each sender rests after a send. */
  private constructor(sendPause: number) {
    this.#pause = sendPause
  }

  static async start(
    stack: StackAddress,
    sizes: { senders: number; receivers: number; pause?: number },
  ): Promise<Workload> {
    const world = await World.create(stack)
    const workload = new Workload(sizes.pause ?? 0)
    const people: TestUser[] = []
    for (let n = 0; n < Math.max(sizes.senders, sizes.receivers); n += 1) people.push(await world.user())
    await succeeded(
      people[0]!.post('/users/me/subscriptions', {
        subscriptions: [{ name: 'work' }],
        principals: people.map((user) => user.id),
      }),
    )
    for (const user of people.slice(0, sizes.receivers)) {
      const receiver = new Receiver(user)
      await receiver.start({ event_types: ['message'], fetch_event_types: ['message'] })
      workload.receivers.push(receiver)
    }
    for (const [n, user] of people.slice(0, sizes.senders).entries()) {
      const stuck = (error: unknown) => void workload.#sending.problems.push(String(error))
      workload.#senders.push(workload.#send(user, `sender-${n}`).catch(stuck))
    }
    return workload
  }

  /** Requests of all clients that got no success. */
  get failures(): string[] {
    return [...this.#sending.failures, ...this.receivers.flatMap(({ failures }) => failures)]
  }

  async #send(user: TestUser, name: string): Promise<void> {
    const wish = { event_types: ['message'], fetch_event_types: [] }
    const { queue_id } = (await this.#sending.do('register', () => user.post('/register', wish))).body
    for (let n = 0; !this.#isOver; n += 1) {
      const message = {
        type: 'channel',
        to: 'work',
        topic: 'faults',
        content: `${name} ${n}`,
        queue_id,
        local_id: `${n}`,
      }
      const began = Date.now()
      const { body } = await this.#sending.do('send', () => user.post('/messages', message))
      this.sendTimes.push(Date.now() - began)
      this.acknowledged.push(body.id)
      if (this.#pause > 0) await rest(this.#pause)
    }
  }

  /** Resolves once at least `count` more messages were acknowledged. */
  async progress(count: number): Promise<void> {
    const goal = this.acknowledged.length + count
    if (await comesTrue(() => this.acknowledged.length >= goal, 120)) return
    throw new Error(`only ${this.acknowledged.length} of ${goal} sends were acknowledged`)
  }

  /**
   * Stops sending, waits until every receiver has the newest acknowledged message, and tells what went wrong: lost,
   * repeated, out of order, queues gone. An empty list is the promise kept.
   */
  async finish(seconds = 60): Promise<string[]> {
    this.#isOver = true
    await Promise.all(this.#senders)
    const expected = this.acknowledged.toSorted((a, b) => a - b)
    await comesTrue(
      () => this.receivers.every((r) => r.problems.length > 0 || r.ids.length >= expected.length),
      seconds,
    )
    const problems = [...this.#sending.problems]
    const known = new Set(expected)
    if (known.size !== expected.length) problems.push('two sends were acknowledged as one message')
    for (const receiver of this.receivers) {
      receiver.stop()
      problems.push(...receiver.problems)
      const seen = new Set(receiver.ids)
      const lost = expected.filter((id) => !seen.has(id))
      const unknown = receiver.ids.filter((id) => !known.has(id))
      if (lost.length > 0)
        problems.push(`${receiver.user.email} never got ${lost.slice(0, 10)} (${lost.length})`)
      if (unknown.length > 0)
        problems.push(`${receiver.user.email} got ${unknown.slice(0, 10)}, never acknowledged`)
      if (seen.size !== receiver.ids.length) problems.push(`${receiver.user.email} got a message twice`)
      const sorted = receiver.ids.toSorted((a, b) => a - b)
      if (receiver.ids.some((id, place) => id !== sorted[place]))
        problems.push(`${receiver.user.email}: out of order`)
    }
    return problems
  }
}
