import { type Client, type Parameters, succeeded } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type.
export type ReceivedEvent = any

/** One client's queue: registers, polls, acknowledges, and keeps every event in the order of arrival. */
export class EventReader {
  readonly queueId: string
  /** The answer of the registration. */
  readonly state: ReceivedEvent
  readonly received: ReceivedEvent[] = []
  readonly #client: Client
  #lastEventId: number

  private constructor(client: Client, state: ReceivedEvent) {
    this.#client = client
    this.state = state
    this.queueId = state.queue_id
    this.#lastEventId = state.last_event_id
  }

  static async register(client: Client, parameters: Parameters = {}): Promise<EventReader> {
    return new EventReader(client, await succeeded(client.post('/register', parameters)))
  }

  /** One poll; its events are acknowledged by the next one. */
  async poll(parameters: Parameters = {}): Promise<ReceivedEvent[]> {
    const { events } = await succeeded(
      this.#client.get('/events', {
        queue_id: this.queueId,
        last_event_id: this.#lastEventId,
        ...parameters,
      }),
    )
    for (const event of events) {
      this.#lastEventId = Math.max(this.#lastEventId, event.id)
      this.received.push(event)
    }
    return events
  }

  /** Polls until an event fits; heartbeats do not count. Fails after `seconds`. */
  async waitFor(fits: (event: ReceivedEvent) => boolean, seconds = 20): Promise<ReceivedEvent> {
    const deadline = Date.now() + seconds * 1000
    let seen = 0
    for (;;) {
      for (; seen < this.received.length; seen += 1) {
        if (fits(this.received[seen])) return this.received[seen]
      }
      if (Date.now() > deadline) {
        throw new Error(
          `no such event within ${seconds} s; received ${JSON.stringify(this.received).slice(0, 2000)}`,
        )
      }
      const left = deadline - Date.now()
      await Promise.race([this.poll(), new Promise((resolve) => setTimeout(resolve, left + 100).unref())])
    }
  }

  /** Everything that has arrived once an event fits: the way to show that something else did not arrive before. */
  async until(fits: (event: ReceivedEvent) => boolean, seconds = 20): Promise<ReceivedEvent[]> {
    const last = await this.waitFor(fits, seconds)
    return this.received.filter((event) => event.id <= last.id && event.type !== 'heartbeat')
  }
}
