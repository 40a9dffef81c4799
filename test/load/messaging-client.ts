import { Agent, request } from 'undici'
import type { Target } from './target.ts'

/** Somebody who sends and receives, and the channel that they are in. */
export interface Member {
  /** What the server knows them by: name and key, with a colon between. */
  readonly credentials: string
  /** Of the organization's host, where it is not that of the address. */
  readonly host?: string
  readonly channel: string
}

interface Caller {
  readonly channel: string
  readonly headers: Readonly<Record<string, string>>
}

const formType = 'application/x-www-form-urlencoded'

/**
 * The client that measures. It says the same to Parley and to the floor, and reads the same of what they answer: what
 * differs between the two is the server.
 */
export const messagingClient = (
  origin: string,
  members: readonly Member[],
): Pick<Target, 'send' | 'receive' | 'sends'> & { close(): Promise<void> } => {
  const api = `${origin}/api/v1`
  const callers = members.map(({ credentials, host, channel }) => ({
    channel,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      ...(host === undefined ? {} : { host }),
    },
  }))
  // More than anybody polls at once; a process may have 20,000 files open.
  const agent = new Agent({ connections: 15_000, headersTimeout: 0, bodyTimeout: 0 })
  let sends = 0
  let isOver = false

  /** Whose client this is, of as many as there are: people may have several. */
  const callerOf = (client: number): Caller => callers[client % callers.length]!

  const call = async (
    { headers }: Caller,
    method: 'POST' | 'GET' | 'DELETE',
    path: string,
    form?: Record<string, string>,
  ) => {
    const { statusCode, body } = await request(`${api}${path}`, {
      method,
      dispatcher: agent,
      headers: form === undefined ? headers : { ...headers, 'content-type': formType },
      body: form === undefined ? null : new URLSearchParams(form).toString(),
    })
    if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode} ${await body.text()}`)
    return body
  }

  return {
    async send(sender, text) {
      const one = callerOf(sender)
      const form = { type: 'channel', to: one.channel, topic: 'load', content: text }
      const body = await call(one, 'POST', '/messages', form)
      await body.dump()
      sends += 1
    },
    async receive(receiver, onMessage) {
      const one = callerOf(receiver)
      const wish = { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'false' }
      const { queue_id: queue } = (await (await call(one, 'POST', '/register', wish)).json()) as {
        queue_id: string
      }
      let running = true
      let last = -1
      const poll = async () => {
        while (running) {
          const path = `/events?queue_id=${encodeURIComponent(queue)}&last_event_id=${last}`
          const { events } = (await (await call(one, 'GET', path)).json()) as {
            events: { id: number; message?: { content: string } }[]
          }
          for (const event of events) {
            last = event.id
            if (event.message !== undefined) onMessage(event.message.content)
          }
        }
      }
      poll().catch((error) => {
        // A receiver less would never be noticed by who counts what all of them get: the measurement ends.
        if (running && !isOver) throw error
      })
      return {
        stop: () => {
          running = false
          // Or the next messages would go to a queue that nobody reads, too.
          call(one, 'DELETE', '/events', { queue_id: queue })
            .then((body) => body.dump())
            .catch(() => {})
        },
      }
    },
    sends: () => sends,
    close() {
      isOver = true
      return agent.destroy()
    },
  }
}
