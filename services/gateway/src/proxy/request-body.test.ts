import { connect, type Socket } from 'node:net'
import { endpoint, serviceContract } from '@parley/contracts'
import { register } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deadPort, type House, hamlet, smallHouse } from '../testing/small-house.ts'

const more = serviceContract('channels', {
  endpoints: {
    sendFile: endpoint({
      service: 'channels',
      summary: 'x',
      params: {},
      reply: {},
      method: 'POST',
      path: '/small-file',
      access: 'authenticated',
      doors: 'files',
      body: 'stream',
    }),
  },
  internals: {},
  sections: {},
})

/** What would have ended the process. */
let accidents: unknown[] = []
const note = (error: unknown): void => void accidents.push(error)
let house: House
beforeEach(() => {
  accidents = []
  process.on('uncaughtExceptionMonitor', note)
})
afterEach(async () => {
  process.off('uncaughtExceptionMonitor', note)
  await house.close()
})

const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    house.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

/** Begins a request that is never completed; answers its connection. */
const begin = (path: string, headers: readonly string[], piece: string): Socket => {
  const socket = connect(house.port, '127.0.0.1')
  socket.on('error', () => {})
  const head = [`POST ${path} HTTP/1.1`, 'host: chat.test', `authorization: ${hamlet}`, ...headers]
  socket.write(`${head.join('\r\n')}\r\n\r\n${piece}`)
  return socket
}

const status = (socket: Socket): Promise<number> =>
  new Promise((resolve, reject) => {
    socket.once('data', (piece) => resolve(Number(piece.toString('latin1').split(' ')[1])))
    socket.once('close', () => reject(new Error('closed without an answer')))
  })

const large = ['content-length: 200000', 'content-type: application/octet-stream']
const chunked = ['transfer-encoding: chunked', 'content-type: application/x-www-form-urlencoded']
const firstChunk = `${(20_000).toString(16)}\r\n${'x'.repeat(20_000)}\r\n`

describe('a client that leaves before its request is complete', () => {
  const leaves = async (socket: Socket): Promise<void> => {
    socket.destroy()
    await expect.poll(connections, { timeout: 10_000 }).toBe(0)
    expect((await house.fetch('/health')).status).toBe(200)
    expect(accidents).toEqual([])
  }

  it('while its service is away', async () => {
    house = await smallHouse({ more, channelsUrls: `http://127.0.0.1:${await deadPort()}` })
    const socket = begin('/api/v1/small-file', large, 'x'.repeat(30_000))
    expect(await status(socket)).toBe(503)
    await leaves(socket)
  })

  it('while its service takes no more', async () => {
    const { promise: isBusy, resolve: begins } = Promise.withResolvers<void>()
    house = await smallHouse({ more, channels: () => begins(), requestsPerService: 1 })
    const first = begin('/api/v1/small-file', large, 'x'.repeat(30_000))
    await isBusy
    const second = begin('/api/v1/small-file', large, 'x'.repeat(30_000))
    expect(await status(second)).toBe(503)
    first.destroy()
    await leaves(second)
  })

  it('after its service refused', async () => {
    house = await smallHouse({ more, channels: (_sent, response) => response.writeHead(400).end('{}') })
    const socket = begin('/api/v1/small-file', large, 'x'.repeat(30_000))
    expect(await status(socket)).toBe(400)
    await leaves(socket)
  })

  it('while its service reads', async () => {
    const { promise: hasBegun, resolve: begins } = Promise.withResolvers<void>()
    house = await smallHouse({ more, channels: (sent) => void sent.once('data', () => begins()).resume() })
    const socket = begin('/api/v1/small-file', large, 'x'.repeat(30_000))
    await hasBegun
    await leaves(socket)
  })

  it('while registrations wait in line', async () => {
    house = await smallHouse({ queue: () => {}, requestsPerService: 1000 })
    const sockets: Socket[] = []
    for (let n = 0; n < 80; n += 1) sockets.push(begin('/api/v1/register', chunked, firstChunk))
    const inLine = async () => {
      const { values } = await register.getSingleMetric('parley_gateway_requests_under_way')!.get()
      return values.find(({ labels }) => labels.kind === 'waiting')?.value
    }
    await expect.poll(inLine, { timeout: 10_000 }).toBe(16)
    for (const socket of sockets.slice(1)) socket.destroy()
    await leaves(sockets[0]!)
  })

  it('with a log-in of unknown length', async () => {
    house = await smallHouse()
    const socket = begin('/api/v1/fetch_api_key', chunked, firstChunk)
    expect(await status(socket)).toBe(400)
    await leaves(socket)
  })
})
