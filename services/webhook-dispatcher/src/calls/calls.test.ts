import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Network } from '../config.ts'
import { type Canary, startCanary } from '../testing/canary.ts'
import { type NameServer, startNameServer } from '../testing/name-server.ts'
import { isCallable } from './address-rules.ts'
import { type Call, type Calls, openCalls } from './call-receiver.ts'
import { hostileAnswers, hostileTargets } from './hostile-targets.ts'
import { resolver } from './name-resolution.ts'

const networks = (...texts: string[]): Network[] => texts.map((text) => ipaddr.parseCIDR(text))
const ports = [
  [80, 80],
  [443, 443],
  [1024, 65_535],
] as const

let names: NameServer
let canary: Canary
const opened: Calls[] = []

const open = (allowed: Network[], from = names): Calls => {
  const calls = openCalls({
    rules: { networks: allowed, ports },
    resolve: resolver({ networks: allowed, servers: [from.address] }),
    connections: 2,
  })
  opened.push(calls)
  return calls
}

const callTo = (url: string): Call => ({
  receiverId: 1,
  url,
  headers: { 'content-type': 'text/plain' },
  body: 'x',
})

beforeAll(async () => {
  names = await startNameServer()
  canary = await startCanary()
})

afterAll(async () => {
  for (const calls of opened) await calls.close()
  await canary.stop()
  await names.stop()
})

describe('calls', () => {
  it('reach none of the hostile targets', async () => {
    const calls = open([])
    const targets = hostileTargets(canary.port)
    expect(targets.length).toBeGreaterThan(200)
    for (const url of targets) {
      const outcome = await calls.call(callTo(url))
      expect([url, outcome.kind]).not.toEqual([url, 'answered'])
    }
    expect(canary.connections()).toBe(0)
  })

  it('reach none of the hostile names, and say the same of them as of names that do not exist', async () => {
    const calls = open([])
    const nowhere = await calls.call(callTo(`http://nowhere.example:${canary.port}/`))
    expect(nowhere).toEqual({
      kind: 'unreachable',
      reason: 'The host name leads to no address that may be called.',
    })
    for (const [place, answers] of hostileAnswers.entries()) {
      names.answer(`hostile${place}.example`, answers)
      expect(await calls.call(callTo(`http://hostile${place}.example:${canary.port}/`))).toEqual(nowhere)
    }
    expect(canary.connections()).toBe(0)
  })

  it('go to the very addresses that were looked at, whatever the name means a moment later', async () => {
    const allowed = networks('127.0.0.0/30')
    const calls = open(allowed)
    // First an address that may be called, then one that may not, on which somebody listens too.
    names.answer('rebinding.example', ['127.0.0.1'], ['127.0.0.9'])
    const before = canary.connections()
    const first = await calls.call(callTo(`http://rebinding.example:${canary.port}/`))
    expect(first).toMatchObject({ kind: 'answered', status: 200 })
    expect(names.asked('rebinding.example', 4)).toBe(1)
    expect(canary.connections()).toBe(before + 1)
    const again = open(allowed)
    expect(await again.call(callTo(`http://rebinding.example:${canary.port}/`))).toMatchObject({
      kind: 'unreachable',
    })
    expect(canary.connections()).toBe(before + 1)
  })

  it('reach networks that the operator opened, and nothing beside them', async () => {
    const calls = open(networks('127.0.0.1/32', '::1/128'))
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '[::ffff:127.0.0.1]']) {
      expect(await calls.call(callTo(`http://${host}:${canary.port}/`))).toMatchObject({ kind: 'answered' })
    }
    const before = canary.connections()
    expect(await calls.call(callTo(`http://127.0.0.2:${canary.port}/`))).toMatchObject({ kind: 'forbidden' })
    expect(canary.connections()).toBe(before)
  })

  it('follow no redirect, read so much and no more, and end in time', async () => {
    let hits = 0
    const server = await startCanary((request, response) => {
      hits += 1
      if (request.url === '/away') response.writeHead(307, { location: '/other' }).end()
      else if (request.url === '/much') response.end(Buffer.alloc(2_000_000, 'x'))
      else if (request.url === '/later') response.writeHead(503, { 'retry-after': '7' }).end('{}')
      else if (request.url === '/slow') response.writeHead(200).write('{')
    })
    const calls = open(networks('127.0.0.0/8'))
    const at = (path: string) => calls.call(callTo(`http://127.0.0.1:${server.port}${path}`))
    expect(await at('/away')).toMatchObject({ kind: 'answered', status: 307 })
    expect(hits).toBe(1)
    const much = await at('/much')
    expect(much).toMatchObject({ kind: 'answered', isWhole: false })
    expect((much as { body: string }).body.length).toBe(256 * 1024)
    expect(await at('/later')).toMatchObject({ status: 503, retryAfter: '7', body: '{}' })
    const began = Date.now()
    expect(await at('/slow')).toEqual({
      kind: 'unreachable',
      reason: 'No complete answer within 10 seconds.',
    })
    expect(Date.now() - began).toBeLessThan(12_000)
    await server.stop()
    expect(await at('/away')).toEqual({ kind: 'unreachable', reason: 'The connection was refused.' })
  })
})

describe('addresses', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '8.8.8.8',
    '100.63.0.1',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])('%s is public', (address) => {
    expect(isCallable(address, [])).toBe(true)
  })

  it('are opened by network, of their own kind only', () => {
    expect(isCallable('10.2.3.4', networks('10.0.0.0/8'))).toBe(true)
    expect(isCallable('::ffff:10.2.3.4', networks('10.0.0.0/8'))).toBe(true)
    expect(isCallable('10.2.3.4', networks('fd00::/8', '10.3.0.0/16'))).toBe(false)
    expect(isCallable('not an address', networks('0.0.0.0/0'))).toBe(false)
  })
})
