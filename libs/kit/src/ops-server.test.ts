import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { opsServer } from './ops-server.ts'

let isDraining = false
let asked = 0
let database: () => Promise<void> = async () => {}
const watched = [
  { name: 'postgres', ready: () => database() },
  {
    name: 'redis',
    ready: async () => {
      asked += 1
    },
  },
]
const server = opsServer(
  () => watched,
  () => isDraining,
)
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => void server.close())

const get = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

it('/ready names what is away or does not answer, and is 503 then and while draining', async () => {
  expect(await get('/ready')).toEqual({ status: 200, body: { ready: true, away: [] } })
  database = () => Promise.reject(new Error('refused'))
  expect(await get('/ready')).toEqual({ status: 503, body: { ready: false, away: ['postgres: refused'] } })
  database = () => new Promise(() => {})
  expect((await get('/ready')).body.away).toEqual(['postgres: no answer'])
  isDraining = true
  expect(await get('/ready')).toEqual({ status: 503, body: { ready: false, away: ['draining'] } })
})

it('/health asks no engine, and says that the process lives also while it drains', async () => {
  const before = asked
  database = () => Promise.reject(new Error('refused'))
  isDraining = true
  expect(await get('/health')).toEqual({ status: 200, body: { alive: true } })
  expect(asked).toBe(before)
})
