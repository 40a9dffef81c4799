import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Canary {
  readonly port: number
  /** Connections that were made to it. */
  readonly connections: () => number
  stop(): Promise<void>
}

/** Listens on every address of this machine, IPv4 and IPv6, and counts who comes. */
export const startCanary = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end(),
): Promise<Canary> => {
  let connections = 0
  const server: Server = createServer((request, response) => {
    request.resume()
    answer(request, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '::')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
