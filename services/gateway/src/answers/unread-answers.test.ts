import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { expectReading } from './unread-answers.ts'

/** More than the buffers of two kernels take. */
const body = Buffer.alloc(64 * 1024 * 1024, 'x')

const server = createServer()
let client: Socket
let response: ServerResponse
beforeEach(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = once(server, 'request')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  client.pause()
  response = (await asked)[1] as ServerResponse
})
afterEach(async () => {
  client.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

it('a client that takes nothing of its answer is left alone', async () => {
  response.end(body)
  expectReading(response, 200)
  await once(response, 'close')
  expect(response.writableFinished).toBe(false)
})

it('one that is slow gets all of it, and its connection is there for its next request', async () => {
  response.end(body)
  expectReading(response, 400)
  let taken = 0
  const whole = new Promise<void>((resolve) => {
    client.on('data', (piece: Buffer) => {
      taken += piece.length
      if (taken >= body.length) return resolve()
      client.pause()
      // Some hundred times, so that the whole takes longer than the patience.
      setTimeout(() => client.resume(), 2)
    })
  })
  const begun = Date.now()
  client.resume()
  await whole
  expect(Date.now() - begun).toBeGreaterThan(400)
  const again = once(server, 'request')
  client.resume()
  client.write('GET /next HTTP/1.1\r\nHost: here\r\n\r\n')
  const [request, second] = await again
  expect(request.url).toBe('/next')
  second.end()
})
