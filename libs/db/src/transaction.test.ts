import { EngineUnavailableError } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from './database.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
let database: Database
beforeAll(async () => {
  own = await ownDatabase('gateway')
  database = own.database
  await database.sql`CREATE TABLE accounts (id int PRIMARY KEY, changes int NOT NULL DEFAULT 0)`
})
afterAll(() => own.drop())
beforeEach(async () => {
  await database.sql`TRUNCATE outbox, accounts`
  await database.sql`INSERT INTO accounts (id) VALUES (1), (2)`
})

const announced = async (): Promise<string[]> =>
  (await database.sql<{ value: string }[]>`SELECT value FROM outbox ORDER BY id`).map((row) => row.value)

describe('nothing is announced that did not commit', () => {
  it('when the work fails', async () => {
    let isTold = false
    const end = database.onCommit(() => {
      isTold = true
    })
    let isDone = false
    const failed = database.transaction(async (tx) => {
      tx.afterCommit(() => {
        isDone = true
      })
      tx.enqueue({ topic: 'a', key: '1', value: '1' })
      await tx.sql`UPDATE accounts SET changes = 1`
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    end()
    expect(await announced()).toEqual([])
    expect({ isTold, isDone }).toEqual({ isTold: false, isDone: false })
    expect(await database.sql`SELECT FROM accounts WHERE changes > 0`).toHaveLength(0)
  })

  it('when a deferred constraint refuses the commit', async () => {
    await database.sql`CREATE TABLE pairs (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)`
    const failed = database.transaction(async (tx) => {
      tx.enqueue({ topic: 'a', key: '1', value: '1' })
      await tx.sql`INSERT INTO pairs VALUES (1), (1)`
    })
    await expect(failed).rejects.toMatchObject({ code: '23505' })
    expect(await announced()).toEqual([])
  })
})

describe('what commits is announced', () => {
  it('in the order of the calls, with audience and trace context', async () => {
    const traced = await openDatabase({
      url: own.url,
      service: 'traced',
      poolSize: 1,
      traceparent: () => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    })
    let tellings = 0
    traced.onCommit(() => {
      tellings += 1
    })
    await traced.transaction(async (tx) => {
      tx.enqueue({ topic: 'a', key: '1', value: '{"n":"\\"{,}\\\\"}', audience: { realm: 2, users: [1] } })
      await tx.sql`UPDATE accounts SET changes = 1`
      tx.enqueue({ topic: 'b', key: 'ключ', value: 'null' })
    })
    await traced.close()
    const rows = await database.sql`SELECT topic, key, value, audience, traceparent FROM outbox ORDER BY id`
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    expect([...rows]).toEqual([
      {
        topic: 'a',
        key: '1',
        value: '{"n":"\\"{,}\\\\"}',
        audience: { realm: 2, users: [1] },
        traceparent,
      },
      { topic: 'b', key: 'ключ', value: 'null', audience: null, traceparent },
    ])
    expect(tellings).toBe(1)
  })

  it('with the transaction ID of the change', async () => {
    const xid = await database.transaction(async (tx) => {
      tx.enqueue({ topic: 'a', key: '1', value: '1' })
      const [row] = await tx.sql<[{ xid: number }]>`SELECT pg_current_xact_id() AS xid`
      return row.xid
    })
    expect(await database.sql`SELECT xid FROM outbox`).toEqual([{ xid }])
  })

  it('in the commit order of each entity: IDs are drawn after its row was locked, not before', async () => {
    const changes = Array.from({ length: 200 }, (_, n) =>
      database.transaction(async (tx) => {
        tx.enqueue({ topic: 'early', key: '-', value: String(n) })
        const id = 1 + (n % 2)
        const [row] = await tx.sql<[{ changes: number }]>`
          UPDATE accounts SET changes = changes + 1 WHERE id = ${id} RETURNING changes`
        tx.enqueue({ topic: 'accounts', key: String(id), value: String(row.changes) })
      }),
    )
    await Promise.all(changes)
    for (const id of ['1', '2']) {
      const rows = await database.sql<{ value: number }[]>`
        SELECT value::int FROM outbox WHERE topic = 'accounts' AND key = ${id} ORDER BY id`
      expect(rows.map((row) => row.value)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
    }
  })

  it('and what Kafka would refuse as too large is refused before it commits', async () => {
    const value = JSON.stringify('x'.repeat(8 * 1024 * 1024))
    const failed = database.transaction(async (tx) => tx.enqueue({ topic: 'a', key: '1', value }))
    await expect(failed).rejects.toMatchObject({ constraint_name: 'outbox_value_size' })
  })
})

describe('a transaction', () => {
  it('may ask past itself, however many there are: they never hold every connection', async () => {
    const small = await openDatabase({ url: own.url, service: 'small', poolSize: 3 })
    const asked = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        small.transaction(async (tx) => {
          await tx.sql`SELECT 1`
          const [row] = await small.sql<[{ n: number }]>`SELECT ${n}::int AS n`
          return row.n
        }),
      ),
    )
    await small.close()
    expect(asked).toEqual(Array.from({ length: 30 }, (_, n) => n))
  })

  it('runs again when it met another in a deadlock, and announces once', async () => {
    let attempts = 0
    let holding = 0
    const bothHoldOne = Promise.withResolvers<void>()
    const change = (first: number, second: number) =>
      database.transaction(async (tx) => {
        attempts += 1
        tx.enqueue({ topic: 'a', key: String(first), value: String(first) })
        await tx.sql`UPDATE accounts SET changes = changes + 1 WHERE id = ${first}`
        holding += 1
        if (holding === 2) bothHoldOne.resolve()
        await bothHoldOne.promise
        await tx.sql`UPDATE accounts SET changes = changes + 1 WHERE id = ${second}`
      })
    await Promise.all([change(1, 2), change(2, 1)])
    expect(attempts).toBeGreaterThan(2)
    expect((await announced()).sort()).toEqual(['1', '2'])
    expect(await database.sql`SELECT changes FROM accounts`).toEqual([{ changes: 2 }, { changes: 2 }])
  })

  it('as a statement by itself runs again too, with the values that it was asked with', async () => {
    await database.sql`CREATE SEQUENCE runs`
    await database.sql.unsafe(`
      CREATE FUNCTION change(ids jsonb) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('runs');
        FOR place IN 0 .. jsonb_array_length(ids) - 1 LOOP
          UPDATE accounts SET changes = changes + 1 WHERE id = (ids -> place)::int;
        END LOOP;
      END $$`)
    let attempts = 0
    const statement = Promise.withResolvers<unknown>()
    await database.transaction(async (tx) => {
      attempts += 1
      await tx.sql`UPDATE accounts SET changes = changes + 1 WHERE id = 1`
      if (attempts === 1)
        statement.resolve(database.sql`SELECT change(${database.sql.json([2, 1])})`.execute())
      await eventually(async () => {
        const waiting = await database.sql`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(1)
      })
      await tx.sql`UPDATE accounts SET changes = changes + 1 WHERE id = 2`
    })
    await statement.promise
    expect(await database.sql`SELECT changes FROM accounts`).toEqual([{ changes: 2 }, { changes: 2 }])
    const [{ runs }] = await database.sql<[{ runs: number }]>`SELECT last_value AS runs FROM runs`
    // Which of the two Postgres ends is its choice; whoever began to wait first, nearly always.
    expect(runs + attempts).toBe(3)
  })

  it('gives up when it fails that way each time: whoever asked may try again', async () => {
    let attempts = 0
    const failed = database.transaction(async (tx) => {
      attempts += 1
      await tx.sql`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`
    })
    await expect(failed).rejects.toThrow(EngineUnavailableError)
    await expect(failed).rejects.toMatchObject({ cause: { code: '40001' } })
    expect(attempts).toBe(5)
  })

  it('as a statement by itself gives up as well', async () => {
    await database.sql`CREATE SEQUENCE tries`
    await database.sql.unsafe(`
      CREATE FUNCTION clash() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('tries');
        RAISE EXCEPTION 'again' USING ERRCODE = '40P01';
      END $$`)
    const failed = database.sql`SELECT clash()`.execute()
    await expect(failed).rejects.toThrow(EngineUnavailableError)
    await expect(failed).rejects.toMatchObject({ cause: { code: '40P01' } })
    expect(await database.sql`SELECT last_value FROM tries`).toEqual([{ last_value: 5 }])
  })

  it('does what was left for after the commit, in order, and survives what fails of it', async () => {
    const done: string[] = []
    const result = await database.transaction(async (tx) => {
      tx.afterCommit(() => void done.push('first'))
      tx.afterCommit(() => {
        throw new Error('a cache is broken')
      })
      tx.afterCommit(() => void done.push('last'))
      expect(done).toEqual([])
      return 'result'
    })
    expect({ result, done }).toEqual({ result: 'result', done: ['first', 'last'] })
  })

  it('undoes a part of itself with a savepoint', async () => {
    await database.transaction(async (tx) => {
      await tx.sql`UPDATE accounts SET changes = 1 WHERE id = 1`
      await tx.sql
        .savepoint(async (sql) => {
          await sql`UPDATE accounts SET changes = 1 WHERE id = 2`
          throw new Error('not this part')
        })
        .catch(() => {})
    })
    expect(await database.sql`SELECT id FROM accounts WHERE changes = 1`).toEqual([{ id: 1 }])
  })

  it('is over when it is over: its queries are refused, not run outside of it', async () => {
    const tx = await database.transaction(async (inside) => inside)
    await expect(tx.sql`UPDATE accounts SET changes = 9`.execute()).rejects.toThrow('the transaction is over')
    expect(await database.sql`SELECT FROM accounts WHERE changes = 9`).toHaveLength(0)
  })
})

describe('values', () => {
  it('of int8, xid8, jsonb, arrays and times arrive as JavaScript has them', async () => {
    const [row] = await database.sql`
      SELECT 9007199254740991::int8 AS id, '4294967297'::xid8 AS xid, '{"a":[1]}'::jsonb AS json,
             '{1,2}'::int8[] AS ids, '2026-01-02T03:04:05.678901Z'::timestamptz AS at, 1.5::numeric AS amount`
    expect(row).toEqual({
      id: 9007199254740991,
      xid: 4294967297,
      json: { a: [1] },
      ids: [1, 2],
      at: new Date('2026-01-02T03:04:05.678Z'),
      amount: '1.5',
    })
  })

  it('a statement that announces by itself rings for the relay through committed()', async () => {
    let tellings = 0
    const end = database.onCommit(() => {
      tellings += 1
    })
    await database.sql`
      WITH changed AS (UPDATE accounts SET changes = 5 WHERE id = 1 RETURNING id)
      INSERT INTO outbox (topic, key, value) SELECT 'accounts', id::text, '5' FROM changed`
    database.committed()
    end()
    database.committed()
    expect(tellings).toBe(1)
    expect(await announced()).toEqual(['5'])
  })

  it('a dedicated connection keeps its session, and leaves when it is ended', async () => {
    const session = database.dedicated()
    await session`SELECT pg_advisory_lock(42)`
    const [{ taken }] = await database.sql<[{ taken: boolean }]>`SELECT pg_try_advisory_lock(42) AS taken`
    expect(taken).toBe(false)
    await session.end()
    await eventually(async () => {
      const [row] = await database.sql<[{ taken: boolean }]>`SELECT pg_try_advisory_xact_lock(42) AS taken`
      expect(row.taken).toBe(true)
    })
  })
})
