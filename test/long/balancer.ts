import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ServiceReplica } from '../../deploy/service-replica.ts'

const lookEvery = 100

export interface Balancer {
  /** Where clients connect: `http://127.0.0.1:41234`. */
  readonly origin: string
  /** No new connection goes there, however ready it says it is, until it is known again. */
  forget(replica: ServiceReplica): void
  know(replica: ServiceReplica): void
  close(): void
}

/** A gateway, and the port at which it is found. */
export interface Door {
  readonly replica: ServiceReplica
  readonly port: number
}

/**
 * Stands where a cluster's Service would: each new connection goes to the next gateway that says it is ready; connections
 * that exist are left alone.
 */
export const balance = async (gateways: readonly Door[]): Promise<Balancer> => {
  const forgotten = new Set<ServiceReplica>()
  let ready = gateways
  let turn = 0
  let isOver = false
  const look = async (): Promise<void> => {
    while (!isOver) {
      const answers = await Promise.all(gateways.map(({ replica }) => replica.running && replica.ready()))
      const serving = gateways.filter(({ replica }, place) => answers[place] && !forgotten.has(replica))
      if (serving.length > 0) ready = serving
      await new Promise((resolve) => setTimeout(resolve, lookEvery))
    }
  }
  void look()
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const gateway = ready[turn++ % ready.length]!
    const upstream = connect(gateway.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => open.delete(socket))
    }
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget: (replica) => void forgotten.add(replica),
    know: (replica) => void forgotten.delete(replica),
    close() {
      isOver = true
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
