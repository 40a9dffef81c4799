import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { deadPort, type House, hamlet, listening, smallHouse } from '../testing/small-house.ts'

let house: House
afterEach(() => house.close())

describe('services that fail', () => {
  it('503 and Retry-After for the routes of one that is away, and only for those', async () => {
    house = await smallHouse({ channelsUrls: `http://127.0.0.1:${await deadPort()}` })
    for (const options of [
      {},
      { method: 'POST', body: 'x' },
      { method: 'POST', body: 'x'.repeat(200_000) },
    ]) {
      const answer = await house.fetch('/api/v1/messages', options)
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toMatchObject({ result: 'error', code: 'SERVER_NOT_READY' })
    }
    expect((await house.fetch('/api/v1/users/me')).status).toBe(200)
  })

  it('uses the replica that is there, for sends too, and the other one once it is back', async () => {
    const served: string[] = []
    const replica = (name: string) =>
      createServer((request, response) => {
        if (request.url !== '/health') served.push(name)
        response.end('{}')
      })
    const first = replica('first')
    const second = replica('second')
    const dead = await deadPort()
    house = await smallHouse({
      channelsUrls: `http://127.0.0.1:${dead},http://127.0.0.1:${await listening(first)}`,
    })
    for (let send = 0; send < 6; send += 1) {
      expect((await house.fetch('/api/v1/messages', { method: 'POST', body: 'content=x' })).status).toBe(200)
    }
    expect(served).toEqual(Array(6).fill('first'))
    second.listen(dead, '127.0.0.1')
    await expect
      .poll(async () => {
        await house.fetch('/api/v1/messages')
        return served
      })
      .toContain('second')
    for (const server of [first, second]) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('does not send twice what may have had an effect, and asks again what cannot', async () => {
    let requests = 0
    house = await smallHouse({
      channels: (request) => {
        requests += 1
        request.socket.destroy()
      },
    })
    const sent = await house.fetch('/api/v1/messages', { method: 'POST', body: 'content=x' })
    expect([sent.status, requests]).toEqual([503, 1])
    const asked = await house.fetch('/api/v1/messages')
    expect([asked.status, requests]).toEqual([503, 3])
  })

  it('cuts an answer off that broke off, instead of completing it', async () => {
    house = await smallHouse({
      channels: (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('{"result":')
        setImmediate(() => response.destroy())
      },
    })
    await expect(house.fetch('/api/v1/messages')).rejects.toThrow()
  })

  it('503 for a service that does not answer in time', async () => {
    house = await smallHouse({ channels: () => {}, answer: 100 })
    const answer = await house.fetch('/api/v1/messages')
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      503,
      'SERVER_NOT_READY',
    ])
  })
})

it('whoever looks on without an account, where nobody may, is asked for credentials', async () => {
  const identity: RequestListener = (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"UNAUTHORIZED"}')
  }
  house = await smallHouse({ identity })
  const looked = await house.fetch('/api/v1/users', { as: null })
  expect([looked.status, looked.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="parley"'])
  // Who failed to log in is asked by the page where that was, not by a window of the browser.
  const failed = await house.fetch('/api/v1/fetch_api_key', { method: 'POST', as: null })
  expect([failed.status, failed.headers.get('www-authenticate')]).toEqual([401, null])
})

describe('clients that leave or dawdle', () => {
  it('ends the request upstream when the client goes', async () => {
    let started: () => void = () => {}
    const isStarted = new Promise<void>((resolve) => {
      started = resolve
    })
    let ended: () => void = () => {}
    const isEnded = new Promise<void>((resolve) => {
      ended = resolve
    })
    house = await smallHouse({
      queue: (request) => {
        started()
        request.socket.once('close', () => ended())
      },
    })
    const socket = connect(house.port, '127.0.0.1')
    socket.write(
      `GET /api/v1/events?queue_id=1 HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\n\r\n`,
    )
    await isStarted
    socket.destroy()
    await isEnded
  })

  it('passes an answer on at the pace of its reader', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x')
    let written = 0
    house = await smallHouse({
      channels: async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        while (written < 200 && !response.destroyed) {
          written += 1
          if (!response.write(piece)) await once(response, 'drain')
        }
        response.end()
      },
    })
    const socket = connect(house.port, '127.0.0.1')
    socket.pause()
    socket.write(
      `GET /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\n\r\n`,
    )
    let before = -1
    await expect
      .poll(
        () => {
          const isQuiet = written > 0 && written === before
          before = written
          return isQuiet
        },
        { interval: 200, timeout: 5000 },
      )
      .toBe(true)
    expect(written).toBeLessThan(150)
    let received = 0
    socket.on('data', (bytes) => {
      received += bytes.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(received).toBeGreaterThan(200 * piece.length)
  })
})

describe('leaving', () => {
  it('answers waiting polls with a heartbeat, lets the rest finish, and closes the connections', async () => {
    let waiting = 0
    let finish: () => void = () => {}
    house = await smallHouse({
      queue: () => {
        waiting += 1
      },
      channels: (_request, response) => {
        waiting += 1
        finish = () => response.end('{"result":"success","msg":"late"}')
      },
    })
    const poll = house.fetch('/api/v1/events?queue_id=0:7:abc&last_event_id=41')
    const slow = house.fetch('/api/v1/messages')
    await expect.poll(() => waiting).toBe(2)
    const closed = once(house.server, 'close')
    house.server.close()
    const drained = house.deps.exchanges.drain()
    const answer = await poll
    expect(answer.headers.get('connection')).toBe('close')
    expect(await answer.json()).toEqual({
      result: 'success',
      msg: '',
      events: [{ type: 'heartbeat', id: 41 }],
      queue_id: '0:7:abc',
    })
    finish()
    expect(await (await slow).json()).toMatchObject({ msg: 'late' })
    await drained
    await closed
  })
})
