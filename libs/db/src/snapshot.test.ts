import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isVisible, parseSnapshot } from './snapshot.ts'

describe('isVisible', () => {
  const snapshot = { xmin: 10, xmax: 15, xip: [10, 12] }

  it('sees what had ended before the oldest running transaction', () => {
    expect(isVisible(9, snapshot)).toBe(true)
  })

  it('does not see what was running', () => {
    expect([10, 12].map((xid) => isVisible(xid, snapshot))).toEqual([false, false])
  })

  it('sees what had ended between running ones', () => {
    expect([11, 13, 14].map((xid) => isVisible(xid, snapshot))).toEqual([true, true, true])
  })

  it('does not see what had not begun', () => {
    expect([15, 16].map((xid) => isVisible(xid, snapshot))).toEqual([false, false])
  })
})

describe('parseSnapshot', () => {
  it('reads the text form with and without running transactions', () => {
    expect(parseSnapshot('10:15:10,12')).toEqual({ xmin: 10, xmax: 15, xip: [10, 12] })
    expect(parseSnapshot('7:7:')).toEqual({ xmin: 7, xmax: 7, xip: [] })
  })
})

describe('a snapshot', () => {
  let own: Awaited<ReturnType<typeof ownDatabase>>
  beforeAll(async () => {
    own = await ownDatabase('gateway')
    await own.database.sql`CREATE TABLE notes (xid xid8 NOT NULL DEFAULT pg_current_xact_id())`
  })
  afterAll(() => own.drop())

  it('contains a change exactly if it calls its transaction visible, while others commit and roll back', async () => {
    const { database } = own
    let isOver = false
    const writer = async (): Promise<number[]> => {
      const written: number[] = []
      while (!isOver) {
        await database
          .transaction(async (tx) => {
            const [row] = await tx.sql<[{ xid: number }]>`INSERT INTO notes DEFAULT VALUES RETURNING xid`
            if (written.length % 7 === 6) throw new Error('rolled back')
            written.push(row.xid)
          })
          .catch(() => written.push(-1))
      }
      return written.filter((xid) => xid > 0)
    }
    const writers = Promise.all([writer(), writer(), writer()])
    const reads: { seen: Set<number>; snapshot: Parameters<typeof isVisible>[1] }[] = []
    // Until some of them were taken while transactions were running: that is the case to look at.
    const isEnough = () =>
      reads.length >= 60 && reads.filter(({ snapshot }) => snapshot.xip.length > 0).length >= 5
    while (!isEnough()) {
      reads.push(
        await database.snapshot(async (sql, snapshot) => {
          const rows = await sql<{ xid: number }[]>`SELECT xid FROM notes`
          return { seen: new Set(rows.map((row) => row.xid)), snapshot }
        }),
      )
    }
    isOver = true
    const all = (await writers).flat()
    expect(all.length).toBeGreaterThan(0)
    for (const { seen, snapshot } of reads) {
      expect(all.filter((xid) => isVisible(xid, snapshot) !== seen.has(xid))).toEqual([])
    }
  })

  it('does not let its reader write', async () => {
    await expect(own.database.snapshot((sql) => sql`INSERT INTO notes DEFAULT VALUES`)).rejects.toThrow(
      'read-only transaction',
    )
  })
})
