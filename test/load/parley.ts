import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { Agent, request } from 'undici'
import type { Crowd, Target } from './target.ts'

interface Member {
  readonly user: TestUser
  readonly headers: Record<string, string>
  readonly channel: string
}

/** Peoples an organization of a running Parley: the senders and receivers of a benchmark. */
export const peopleParley = async (
  stack: StackAddress,
  crowd: Crowd,
  pids: () => number[],
): Promise<Target> => {
  const world = await World.create(stack)
  const agent = new Agent({ connections: 20_000, headersTimeout: 0, bodyTimeout: 0 })
  const members: Member[] = []
  const count = Math.max(crowd.senders, crowd.receivers)
  while (members.length < count) {
    const users = await Promise.all(
      Array.from({ length: Math.min(20, count - members.length) }, () => world.user()),
    )
    for (const user of users) {
      const { email, key } = user.credentials!
      members.push({
        user,
        channel: `channel ${members.length % crowd.channels}`,
        headers: {
          host: user.host,
          authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
        },
      })
    }
  }
  for (let channel = 0; channel < crowd.channels; channel += 1) {
    const inside = members.filter((_, n) => n % crowd.channels === channel)
    await succeeded(
      inside[0]!.user.post('/users/me/subscriptions', {
        subscriptions: [{ name: `channel ${channel}` }],
        principals: inside.map(({ user }) => user.id),
      }),
    )
  }
  const api = `${stack.origin}/api/v1`
  let sends = 0
  let isOver = false
  return {
    name: 'parley',
    async send(sender, text) {
      const { headers, channel } = members[sender]!
      const { statusCode, body } = await request(`${api}/messages`, {
        method: 'POST',
        dispatcher: agent,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ type: 'channel', to: channel, topic: 'load', content: text }).toString(),
      })
      if (statusCode !== 200) throw new Error(`send answered ${statusCode} ${await body.text()}`)
      await body.dump()
      sends += 1
    },
    async receive(receiver, onMessage) {
      // Where there are more receivers than people, people have several clients.
      const { user, headers } = members[receiver % members.length]!
      const { queue_id } = await succeeded(
        user.post('/register', { event_types: ['message'], fetch_event_types: [], apply_markdown: false }),
      )
      let running = true
      let last = -1
      const poll = async () => {
        while (running) {
          const { statusCode, body } = await request(
            `${api}/events?queue_id=${encodeURIComponent(queue_id)}&last_event_id=${last}`,
            { dispatcher: agent, headers },
          )
          if (statusCode !== 200) throw new Error(`poll answered ${statusCode} ${await body.text()}`)
          const { events } = (await body.json()) as {
            events: { id: number; message?: { content: string } }[]
          }
          for (const event of events) {
            last = event.id
            if (event.message !== undefined) onMessage(event.message.content)
          }
        }
      }
      poll().catch((error) => {
        if (running && !isOver) console.error(error)
      })
      return {
        stop: () => {
          running = false
          // Or the next messages would go to a queue that nobody reads, too.
          user.delete('/events', { queue_id }).catch(() => {})
        },
      }
    },
    pids,
    sends: () => sends,
    stop() {
      isOver = true
      return agent.destroy()
    },
  }
}
