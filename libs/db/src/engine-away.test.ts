import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { EngineUnavailableError } from '@parley/contracts'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { migrate, pendingMigrations } from './migrate.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
beforeAll(async () => {
  own = await ownDatabase('gateway')
  await own.database.sql`CREATE TABLE notes (n int)`
})
afterAll(() => own.drop())

/** A network between the database and us that can swallow everything, as when a machine vanishes. */
const network = async () => {
  const { hostname, port } = new URL(own.url)
  let isSilent = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => isSilent || to.write(chunk))
      from.on('close', () => isSilent || to.destroy())
      from.on('error', () => {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { port: number }
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    url: Object.assign(new URL(own.url), { port: String(address.port) }).href,
    swallow: () => {
      isSilent = true
    },
    carryAgain: () => {
      isSilent = false
    },
    /** Breaks what is open. */
    drop: () => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    /** Breaks what is open and refuses what comes. */
    cut: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const opened = async (url: string, options: { statementMilliseconds?: number; poolSize?: number } = {}) => {
  const database = await openDatabase({ url, service: 'away', poolSize: 2, ...options })
  onTestFinished(() => database.close())
  return database
}

const away = async (work: PromiseLike<unknown>, within = 5000): Promise<EngineUnavailableError> => {
  const start = Date.now()
  const error = await Promise.resolve(work).then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(EngineUnavailableError)
  expect((error as EngineUnavailableError).engine).toBe('postgres')
  expect(Date.now() - start).toBeLessThan(within)
  return error as EngineUnavailableError
}

const endSessions = (database: Database) =>
  database.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'away' AND datname = current_database()`

describe.each(['disable', 'prefer'])('a connection (sslmode=%s) that breaks', (sslmode) => {
  it('is there again at once, whatever was about to be written', async () => {
    const between = await network()
    const database = await opened(`${between.url}?sslmode=${sslmode}`, { poolSize: 1 })
    for (let round = 0; round < 5; round += 1) {
      let isOver = false
      const asking: Promise<unknown>[] = []
      // In each turn of the event loop something is being asked when the connection closes.
      const ask = (): void => {
        if (isOver) return
        asking.push(database.sql`SELECT 1`.catch(() => {}))
        setImmediate(ask)
      }
      ask()
      between.drop()
      await new Promise((resolve) => setTimeout(resolve, 20))
      isOver = true
      await Promise.all(asking)
      const began = performance.now()
      await expect
        .poll(() => database.sql`SELECT 1 AS n`.catch(() => []), { timeout: 10_000 })
        .toEqual([{ n: 1 }])
      expect(performance.now() - began).toBeLessThan(2000)
    }
  })
})

describe('an engine that is away is said to be, at once', () => {
  it('when nothing listens', async () => {
    const gone = await network()
    gone.cut()
    await away(openDatabase({ url: gone.url, service: 'away' }))
    await away(migrate({ databaseUrl: gone.url, service: 'gateway' }))
    await away(pendingMigrations({ databaseUrl: gone.url, service: 'gateway' }))
  })

  it('when it went while we were connected: statements, transactions, snapshots, readiness', async () => {
    const line = await network()
    const database = await opened(line.url)
    line.cut()
    for (let n = 0; n < 3; n += 1) {
      await away(database.sql`SELECT 1`)
      await away(database.transaction((tx) => tx.sql`SELECT 1`))
      await away(database.snapshot((sql) => sql`SELECT 1`))
      await away(database.ready())
    }
  })

  it('when the session is ended in the middle of a statement, and the next one is answered', async () => {
    const database = await opened(own.url)
    const sleeping = away(database.sql`SELECT pg_sleep(30)`)
    await expect
      .poll(() => own.database.sql`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`)
      .toHaveLength(1)
    await endSessions(own.database)
    await sleeping
    expect(await database.sql`SELECT 1 AS n`).toEqual([{ n: 1 }])
  })
})

describe('a transaction whose session ended', () => {
  it('writes nothing after that, neither to the lost connection nor to another one', async () => {
    const database = await opened(own.url, { poolSize: 1 })
    const failures: unknown[] = []
    await away(
      database.transaction(async (tx) => {
        await tx.sql`INSERT INTO notes VALUES (1)`
        await endSessions(own.database)
        for (let n = 0; n < 3; n += 1) {
          // Code that goes on after a failure must not be able to write outside of its transaction.
          await tx.sql`INSERT INTO notes VALUES (2)`.catch((error: unknown) => failures.push(error))
        }
      }),
    )
    // The caller is told of the loss at once, also while the work goes on.
    await expect.poll(() => failures).toHaveLength(3)
    expect(failures.every((failure) => failure instanceof EngineUnavailableError)).toBe(true)
    expect(await database.sql`SELECT FROM notes`).toHaveLength(0)
  })

  it('is no reason for the process to end, nor for the next query to fail', async () => {
    const database = await opened(own.url, { poolSize: 1 })
    for (let n = 0; n < 20; n += 1) {
      const failed = database.transaction(async (tx) => {
        await tx.sql`INSERT INTO notes VALUES (4)`
        await endSessions(own.database)
        // The driver wants to roll back on this failure, on a connection that is gone, or going, or not yet.
        throw new Error('refused')
      })
      await expect(failed).rejects.toThrow(Error)
      if (n % 2 === 0) expect(await database.sql`SELECT 1 AS n`).toEqual([{ n: 1 }])
      else expect(await database.transaction((tx) => tx.sql`SELECT 1 AS n`)).toEqual([{ n: 1 }])
    }
    expect(await database.sql`SELECT FROM notes`).toHaveLength(0)
  })

  it('fails although no query was under way', async () => {
    const database = await opened(own.url, { poolSize: 1 })
    let late: unknown
    const failed = away(
      database.transaction(async (tx) => {
        await tx.sql`INSERT INTO notes VALUES (1)`
        await endSessions(own.database)
        await expect.poll(() => database.sql`SELECT 1 AS n`).toEqual([{ n: 1 }])
        late = await tx.sql`INSERT INTO notes VALUES (3)`.catch((error: unknown) => error)
      }),
    )
    await failed
    await expect.poll(() => late).toBeInstanceOf(Error)
    expect(await database.sql`SELECT FROM notes`).toHaveLength(0)
  })
})

describe('nothing hangs', () => {
  it('when the network swallows everything; and once it carries again, so do new connections', async () => {
    const line = await network()
    const database = await opened(line.url, { statementMilliseconds: 100 })
    const inside = database.transaction(async (tx) => {
      await tx.sql`SELECT 1`
      line.swallow()
      await tx.sql`SELECT 2`
    })
    await away(inside)
    await Promise.all([away(database.sql`SELECT 1`), away(database.transaction((tx) => tx.sql`SELECT 1`))])
    line.carryAgain()
    await expect.poll(() => database.sql`SELECT 1 AS n`.catch(() => []), { timeout: 10_000 }).toHaveLength(1)
  })

  it('when the answer to COMMIT is lost', async () => {
    const line = await network()
    const database = await opened(line.url, { statementMilliseconds: 100 })
    await away(
      database.transaction(async (tx) => {
        await tx.sql`SELECT 1`
        line.swallow()
      }),
    )
  })

  it('when a transaction neither asks nor ends', async () => {
    const database = await opened(own.url, { poolSize: 1, statementMilliseconds: 100 })
    await away(
      database.transaction(async (tx) => {
        await tx.sql`SELECT 1`
        await new Promise(() => {})
      }),
    )
    expect(await database.sql`SELECT 1 AS n`).toEqual([{ n: 1 }])
  })

  it('when a statement is too slow for the server', async () => {
    const database = await opened(own.url, { statementMilliseconds: 100 })
    const { cause } = await away(database.sql`SELECT pg_sleep(30)`)
    expect(cause).toMatchObject({ code: '57014' })
  })

  it('when the server has no room, no memory, or no disk that works', async () => {
    const database = await opened(own.url)
    const raise = (code: string) =>
      database.sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION 'as told' USING ERRCODE = '${code}'; END $$`)
    for (const code of ['53000', '53100', '53200', '53400', '58000', '58030', '58P01']) {
      const { cause } = await away(raise(code))
      expect(cause).toMatchObject({ code })
    }
    // What is wrong with a statement is no such thing.
    await expect(raise('22012')).rejects.toMatchObject({ code: '22012' })
  })

  it('when all connections are taken', async () => {
    const database = await opened(own.url, { poolSize: 1, statementMilliseconds: 1000 })
    let isLeaving = false
    const holding = database.transaction(async (tx) => {
      while (!isLeaving) await tx.sql`SELECT pg_sleep(0.02)`
    })
    const ran: string[] = []
    await Promise.all([
      away(database.transaction(async () => void ran.push('too late'))),
      away(database.sql`SELECT 1`),
    ])
    isLeaving = true
    await holding
    expect(await database.sql`SELECT 1 AS n`).toEqual([{ n: 1 }])
    expect(ran).toEqual([])
  })

  it('and a slow neighbour is left in peace', async () => {
    const database = await opened(own.url, { poolSize: 2, statementMilliseconds: 2000 })
    const neighbour = database.sql`SELECT pg_sleep(1.5), 1 AS n`
    expect(await database.sql`SELECT 1 AS n`).toEqual([{ n: 1 }])
    expect(await neighbour).toHaveLength(1)
  })
})
