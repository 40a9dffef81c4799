import { createServer, type Server } from 'node:net'

/** What stands between a process and those who call it: is told its name and port, and gives the port where they find it. */
export type Detour = (name: string, port: number) => Promise<number>

/** Below the range from which kernels give ports to outgoing connections, so that none is taken meanwhile. */
const lowest = 15_000
const highest = 32_000

/** Handed out by this process, and perhaps not listened on yet. */
const given = new Set<number>()

/** `count` different ports on which nothing listens on the loopback address. */
export async function freePorts(count: number): Promise<number[]> {
  const held: { port: number; server: Server }[] = []
  try {
    while (held.length < count) {
      const port = lowest + Math.floor(Math.random() * (highest - lowest))
      const server = given.has(port) ? undefined : await hold(port)
      given.add(port)
      if (server) held.push({ port, server })
    }
    return held.map(({ port }) => port)
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  }
}

/** Whether a server can listen on `port` of the loopback address now. */
export async function isFree(port: number): Promise<boolean> {
  const server = await hold(port)
  if (!server) return false
  await new Promise((resolve) => server.close(resolve))
  return true
}

function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
