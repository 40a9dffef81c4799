/** Clients that go on through every failure, as good ones do, and remember what they met. */
import { type Answer, type Parameters, succeeded, type TestUser } from '@parley/testkit'

/** Milliseconds between tries while something is away. */
const pause = 100
/** Of one client, so that what always fails does not drown the rest. */
const mostProblems = 20
/** Seconds after which what still fails is stuck. */
const patience = 120

export const rest = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * What a client met that is wrong whatever happens to the system: an accident, no envelope, or a refusal, which nothing that
 * is away excuses.
 */
const isDefect = (error: unknown): boolean => /got (500|4(?!29)\d\d) |what is not JSON/.test(String(error))

/** What somebody did until it was acknowledged. */
export class Patient {
  /** Requests that got no success, which were repeated. */
  readonly failures: string[] = []
  /** What no failure excuses. */
  readonly problems: string[] = []

  /**
   * Asks again until the answer is a success. `failed` says whether a try went wrong: it may still be carried out, later.
   *
   * @throws after two minutes without success.
   */
  async do(what: string, ask: () => Promise<Answer>): Promise<{ body: Answer['body']; failed: boolean }> {
    const began = Date.now()
    for (let failed = false; ; failed = true) {
      try {
        return { body: await succeeded(ask()), failed }
      } catch (error) {
        this.failures.push(`${what}: ${error}`)
        if (isDefect(error) && this.problems.length < mostProblems) this.problems.push(`${what}: ${error}`)
        if (Date.now() > began + patience * 1000) throw new Error(`${what} is stuck: ${error}`)
        await rest(pause)
      }
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: events of every type.
type Event = any

/** A client that keeps polling one queue. Tells if the queue is lost, and if an event comes out of order or twice. */
export class PatientReader extends Patient {
  readonly user: TestUser
  readonly #onEvent: (event: Event) => void
  #queueId = ''
  #lastEventId = -1
  #running = true

  constructor(user: TestUser, onEvent: (event: Event) => void) {
    super()
    this.user = user
    this.#onEvent = onEvent
  }

  /** The answer of the registration. */
  async start(registration: Parameters): Promise<Answer['body']> {
    const state = await succeeded(this.user.post('/register', registration))
    this.#queueId = state.queue_id
    this.#lastEventId = state.last_event_id
    void this.#poll()
    return state
  }

  /** Of its own queue: for sends whose repetitions are recognised. */
  get queueId(): string {
    return this.#queueId
  }

  async #poll(): Promise<void> {
    while (this.#running) {
      const answer = await this.user
        .get('/events', { queue_id: this.#queueId, last_event_id: this.#lastEventId })
        .catch((error: unknown) => {
          if (this.#running) this.failures.push(`poll: ${error}`)
          return undefined
        })
      // The last poll is answered by nothing: it ends with its connection.
      if (!this.#running) return
      if (answer?.status !== 200) {
        if (answer !== undefined) this.#note(answer)
        if (answer?.body.code === 'BAD_EVENT_QUEUE_ID') return
        await rest(pause)
        continue
      }
      for (const event of answer.body.events) {
        // A gateway that leaves answers by a heartbeat with the ID that the client acknowledged last.
        const isAgain = event.type === 'heartbeat' && event.id === this.#lastEventId
        if (event.id <= this.#lastEventId && !isAgain)
          this.problems.push(`event ${event.id} came after ${this.#lastEventId}`)
        this.#lastEventId = Math.max(this.#lastEventId, event.id)
        this.#onEvent(event)
      }
    }
  }

  #note({ status, body }: Answer): void {
    this.failures.push(`poll: ${status} ${body.code}`)
    if (status === 500) this.problems.push(`poll: 500 ${JSON.stringify(body)}`)
    if (body.code === 'BAD_EVENT_QUEUE_ID') this.problems.push(`queue ${this.#queueId} was lost`)
  }

  stop(): void {
    this.#running = false
  }
}

/** Waits until something is so, at most so many seconds; says whether it is. */
export const comesTrue = async (check: () => boolean, seconds: number): Promise<boolean> => {
  const deadline = Date.now() + seconds * 1000
  while (!check()) {
    if (Date.now() > deadline) return false
    await rest(50)
  }
  return true
}
