import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from './database.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
beforeAll(async () => {
  own = await ownDatabase('gateway')
})
afterAll(() => own.drop())

/** Passes connections on, and counts those on which a text was sent. */
const listener = async (target: URL, text: string) => {
  let [opened, heard] = [0, 0]
  const server = createServer((client) => {
    opened += 1
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('data', (chunk) => {
      if (chunk.includes(text)) heard += 1
    })
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = Object.assign(new URL(target), {
    hostname: '127.0.0.1',
    port: String((server.address() as AddressInfo).port),
  }).href
  return { url, counts: () => ({ opened, heard }), close: () => server.close() }
}

it('only the first connection asks for array types: the question of one that is ended ends the process', async () => {
  const line = await listener(new URL(own.url), 'typarray')
  const database = await openDatabase({ url: line.url, service: 'arrays', poolSize: 3 })
  try {
    await Promise.all([1, 2, 3].map(() => database.sql`SELECT pg_sleep(0.05)`))
    const lasting = [database.dedicated(), database.dedicated()]
    for (const sql of lasting) {
      const [row] = await sql`SELECT ${[1, 2]}::bigint[] AS numbers, ARRAY['a', 'b'] AS texts`
      expect(row).toEqual({ numbers: [1, 2], texts: ['a', 'b'] })
      await sql.end()
    }
    expect(line.counts()).toEqual({ opened: 5, heard: 1 })
  } finally {
    await database.close()
    line.close()
  }
})

it('arrays of IDs arrive as they were sent', async () => {
  const database = await openDatabase({ url: own.url, service: 'arrays', poolSize: 1 })
  try {
    for (const ids of [
      [],
      [1, -2, 2 ** 53 - 1],
      [1, null, 3],
      [
        [1, 2],
        [3, null],
      ],
    ]) {
      const [row] = await database.sql<[{ ids: unknown; count: number }]>`
        SELECT ids, cardinality(ids) AS count FROM (SELECT ${ids as number[]}::bigint[] AS ids) given`
      expect(row).toEqual({ ids, count: ids.flat().length })
    }
    for (const none of ['1,2', '1}', 'x', undefined, Number.NaN]) {
      const asked = database.sql`SELECT ${[1, none as number]}::bigint[] AS ids`
      await expect(asked, String(none)).rejects.toThrow('invalid input syntax for type bigint')
    }
  } finally {
    await database.close()
  }
})
