import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { messagingClient } from './messaging-client.ts'
import { type Crowd, channelsOf, type Target } from './target.ts'

/** Starts the floor server on a Redis, for as many people as Parley has. */
export const startFloor = async (redisUrl: string, crowd: Crowd): Promise<Target> => {
  const server: ChildProcess = spawn(
    process.execPath,
    [new URL('floor-server.ts', import.meta.url).pathname],
    {
      env: { ...process.env, REDIS_URL: redisUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [origin] = (await once(createInterface(server.stdout!), 'line')) as [string]
  // Nobody is checked: the name says where its bearer belongs, the key is as long as a key.
  const key = 'k'.repeat(32)
  const { close, ...client } = messagingClient(
    origin,
    channelsOf(crowd).map((channel) => ({ channel, credentials: `${channel}:${key}` })),
  )
  return {
    name: 'floor',
    ...client,
    pids: () => [server.pid!],
    async stop() {
      await close()
      server.kill('SIGTERM')
      await once(server, 'exit')
    },
  }
}
