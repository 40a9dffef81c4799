import { generateKeyPairSync } from 'node:crypto'
import { migrate } from '@parley/db/migrate'
import { ownDatabase } from '@parley/testkit/own-database'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { BaseConfig } from './config.ts'
import { opening } from './opening.ts'

it('a database that lacks migrations is waited for, and named meanwhile', async () => {
  // Of a service that has no tables of its own.
  const own = await ownDatabase('gateway')
  const { privateKey } = generateKeyPairSync('ed25519')
  const SIGNING_KEY = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const config = { SIGNING_KEY, DATABASE_URL: own.url, DATABASE_POOL: 2 } as unknown as BaseConfig
  const things = opening('presence', config, pino({ level: 'silent' }))
  let isOpen = false
  const opened = things.database().then((database) => {
    isOpen = true
    return database
  })
  await expect.poll(() => things.opened.length).toBe(1)
  await expect(things.opened[0]!.ready()).rejects.toThrow(/migrations are pending: \d/)
  expect(isOpen).toBe(false)
  await migrate({ databaseUrl: own.url, service: 'presence' })
  const database = await opened
  await things.opened[0]!.ready()
  expect(await database.sql`SELECT count(*)::int AS n FROM user_status`).toEqual([{ n: 0 }])
  await things.opened[0]!.close()
  await own.drop()
})
