import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A line that breaks: the first connections are cut after a random number of bytes, later ones hold. */
export interface CuttingProxy {
  readonly origin: string
  /** Connections that were cut. */
  readonly cuts: number
  close(): Promise<void>
}

/** `cuts`: how many connections break; `within`: each after at most so many bytes from the client. */
export const cuttingProxy = async (
  target: string,
  { cuts, within }: { cuts: number; within: number },
): Promise<CuttingProxy> => {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let done = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let left = done < cuts ? 2000 + Math.floor(Math.random() * within) : Number.POSITIVE_INFINITY
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    client.on('data', (chunk) => {
      // Others may have used up all cuts since this connection was opened.
      if (done >= cuts) left = Number.POSITIVE_INFINITY
      const passed = chunk.subarray(0, left)
      left -= passed.length
      if (!upstream.write(passed)) client.pause()
      if (left > 0 || done >= cuts) return
      done += 1
      upstream.end(() => client.destroy())
    })
    upstream.on('drain', () => client.resume())
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return done
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
