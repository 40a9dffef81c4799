import { createServer } from 'node:http'
import { EngineUnavailableError } from '@parley/contracts'
import { Pool } from 'undici'
import { expect, it } from 'vitest'
import { deadPort, listening } from '../testing/small-house.ts'
import { forward } from './forward.ts'
import { ReplicaSearch } from './replica-search.ts'
import type { Replica, Replicas } from './replicas.ts'

/** Addresses of a service, and which of them were said to be away. */
const addresses = (names: readonly string[]) => {
  const away: string[] = []
  const replicas = names.map(
    (url) => ({ url, isUnreachable: () => void away.push(url) }) as unknown as Replica,
  )
  let turn = 0
  const next: Replicas['next'] = (except) => {
    turn += 1
    const left = replicas.filter((replica) => except?.has(replica) !== true)
    if (left.length === 0) throw new EngineUnavailableError('channels')
    return left[turn % left.length]!
  }
  return { away, search: new ReplicaSearch({ next, close: async () => {} }) }
}

it('tries an address again that refuses, since other processes may be behind it, before it is left out', () => {
  const { away, search } = addresses(['a', 'b'])
  const first = search.next().url
  for (let misses = 1; misses < 6; misses += 1) {
    search.missed()
    expect([search.next().url, away]).toEqual([first, []])
  }
  search.missed()
  expect(away).toEqual([first])
  const second = search.next().url
  expect(second).not.toBe(first)
  for (let misses = 0; misses < 6; misses += 1) search.missed()
  expect(away).toEqual([first, second])
  expect(() => search.next()).toThrow(EngineUnavailableError)
})

it('goes on with the next address when one that was connected to has to be asked again', () => {
  const { away, search } = addresses(['a', 'b'])
  const first = search.next().url
  expect([search.next().url === first, away]).toEqual([false, []])
})

it('carries a request to the process that takes it when others at the address refused', async () => {
  const service = createServer((_, response) => response.end('well'))
  const port = await deadPort()
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const away: string[] = []
  let tries = 0
  const replica = {
    url: 'channels',
    pool: () => {
      tries += 1
      if (tries === 4) service.listen(port)
      return pool
    },
    isUnreachable: () => void away.push('channels'),
  } as unknown as Replica
  const replicas = { next: () => replica, close: async () => {} }
  const front = createServer((request, response) => {
    forward({
      ...{ request, response, replicas, method: 'POST', lane: 'brief', path: '/', headers: [], body: null },
      ...{ answerTimeout: 5000, answerHeaders: [], challenge: undefined },
    }).status.catch((error: unknown) => response.writeHead(503).end(String(error)))
  })
  const answer = await fetch(`http://127.0.0.1:${await listening(front)}/`, { method: 'POST' })
  expect([answer.status, await answer.text(), tries, away]).toEqual([200, 'well', 4, []])
  front.close()
  service.close()
  await pool.close()
})
