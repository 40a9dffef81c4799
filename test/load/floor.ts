import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Agent, request } from 'undici'
import type { Crowd, Target } from './target.ts'

/** Starts the floor server on a Redis and speaks to it as Parley's clients speak to Parley. */
export const startFloor = async (redisUrl: string, crowd: Crowd): Promise<Target> => {
  const server: ChildProcess = spawn(
    process.execPath,
    [new URL('floor-server.ts', import.meta.url).pathname],
    {
      env: { ...process.env, REDIS_URL: redisUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [url] = (await once(createInterface(server.stdout!), 'line')) as [string]
  const agent = new Agent({ connections: 20_000, headersTimeout: 0, bodyTimeout: 0 })
  const channelOf = (n: number): string => String(n % crowd.channels)
  let sends = 0
  return {
    name: 'floor',
    async send(sender, text) {
      const { body } = await request(`${url}/send`, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ channel: channelOf(sender), content: text }),
      })
      await body.dump()
      sends += 1
    },
    async receive(receiver, onMessage) {
      let running = true
      const poll = async () => {
        while (running) {
          const { body } = await request(
            `${url}/events?channel=${channelOf(receiver)}&receiver=${receiver}`,
            {
              dispatcher: agent,
            },
          )
          const { events } = (await body.json()) as { events: { content: string }[] }
          for (const event of events) onMessage(event.content)
        }
      }
      poll().catch(() => {})
      return {
        stop: () => {
          running = false
        },
      }
    },
    pids: () => [server.pid!],
    sends: () => sends,
    async stop() {
      await agent.destroy()
      server.kill('SIGTERM')
      await once(server, 'exit')
    },
  }
}
