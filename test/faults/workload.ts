import { type Client, type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'

/** Milliseconds between tries while something is away. */
const pause = 100

const patiently = async <T>(
  work: () => Promise<T>,
  give_up: () => boolean,
  onFailure: (error: unknown) => void,
): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (give_up()) throw error
      onFailure(error)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** A client that keeps polling one queue through every failure, as a good one does. */
class Receiver {
  readonly ids: number[] = []
  readonly user: TestUser
  readonly problems: string[] = []
  /** Requests that got no success, which a patient client repeats. */
  readonly failures: string[] = []
  #queueId = ''
  #lastEventId = -1
  #running = true
  #polling: Promise<void> | undefined

  constructor(user: TestUser) {
    this.user = user
  }

  async start(): Promise<void> {
    const state = await succeeded(
      this.user.post('/register', { event_types: ['message'], fetch_event_types: ['message'] }),
    )
    this.#queueId = state.queue_id
    this.#polling = this.#poll()
  }

  async #poll(): Promise<void> {
    while (this.#running) {
      const answer = await this.user
        .get('/events', { queue_id: this.#queueId, last_event_id: this.#lastEventId })
        .catch((error: unknown) => {
          if (this.#running) this.failures.push(`poll: ${error}`)
          return undefined
        })
      if (!this.#running) return
      if (answer?.status !== 200) {
        if (answer !== undefined) this.failures.push(`poll: ${answer.status} ${answer.body.code}`)
        if (answer?.body.code === 'BAD_EVENT_QUEUE_ID') {
          this.problems.push(`queue ${this.#queueId} was lost`)
          return
        }
        await new Promise((resolve) => setTimeout(resolve, pause))
        continue
      }
      for (const event of answer.body.events) {
        // A heartbeat may repeat what is acknowledged: a gateway that leaves knows no other ID.
        if (event.id <= this.#lastEventId && event.type !== 'heartbeat')
          this.problems.push(`event ${event.id} came after ${this.#lastEventId}`)
        this.#lastEventId = Math.max(this.#lastEventId, event.id)
        if (event.type === 'message') this.ids.push(event.message.id)
      }
    }
  }

  async stop(): Promise<void> {
    this.#running = false
    // The last poll is answered by nothing: it ends with its connection.
    void this.#polling
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
  readonly #sendFailures: string[] = []
  readonly #pause: number
  #sending = true
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
      await receiver.start()
      workload.receivers.push(receiver)
    }
    for (const [n, user] of people.slice(0, sizes.senders).entries()) {
      workload.#senders.push(workload.#send(user, `sender-${n}`))
    }
    return workload
  }

  /** Requests of all clients that got no success. */
  get failures(): string[] {
    return [...this.#sendFailures, ...this.receivers.flatMap(({ failures }) => failures)]
  }

  async #send(user: Client, name: string): Promise<void> {
    const { queue_id } = await succeeded(
      user.post('/register', { event_types: ['message'], fetch_event_types: [] }),
    )
    for (let n = 0; this.#sending; n += 1) {
      const message = {
        type: 'channel',
        to: 'work',
        topic: 'faults',
        content: `${name} ${n}`,
        queue_id,
        local_id: `${n}`,
      }
      const began = Date.now()
      const { id } = await patiently(
        () => succeeded(user.post('/messages', message)),
        () => Date.now() > began + 120_000,
        (error) => this.#sendFailures.push(`send: ${error}`),
      )
      this.sendTimes.push(Date.now() - began)
      this.acknowledged.push(id)
      if (this.#pause > 0) await new Promise((resolve) => setTimeout(resolve, this.#pause))
    }
  }

  /** Resolves once at least `count` more messages were acknowledged. */
  async progress(count: number): Promise<void> {
    const goal = this.acknowledged.length + count
    const deadline = Date.now() + 120_000
    while (this.acknowledged.length < goal) {
      if (Date.now() > deadline)
        throw new Error(`only ${this.acknowledged.length} of ${goal} sends were acknowledged`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /**
   * Stops sending, waits until every receiver has the newest acknowledged message, and tells what went wrong: lost,
   * repeated, out of order, queues gone. An empty list is the promise kept.
   */
  async finish(seconds = 60): Promise<string[]> {
    this.#sending = false
    await Promise.all(this.#senders)
    const expected = this.acknowledged.toSorted((a, b) => a - b)
    const deadline = Date.now() + seconds * 1000
    const complete = () =>
      this.receivers.every((r) => r.problems.length > 0 || r.ids.length >= expected.length)
    while (!complete() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50))
    const problems: string[] = []
    if (new Set(expected).size !== expected.length)
      problems.push('two sends were acknowledged as one message')
    for (const receiver of this.receivers) {
      await receiver.stop()
      problems.push(...receiver.problems)
      const seen = new Set(receiver.ids)
      const lost = expected.filter((id) => !seen.has(id))
      const unknown = receiver.ids.filter((id) => !expected.includes(id))
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
