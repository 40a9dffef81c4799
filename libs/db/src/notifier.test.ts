import { eventually } from '@parley/testkit/eventually'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { notifier } from './notifier.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
beforeAll(async () => {
  own = await ownDatabase('gateway')
})
afterAll(() => own.drop())

it('tells who listens; what comes while a call is under way shares the next one, and is told once', async () => {
  const { database } = own
  const session = database.dedicated()
  const heard: string[] = []
  await session.listen('bell', (text) => void heard.push(text))
  let calls = 0
  const sql = ((...template: Parameters<typeof database.sql>) => {
    calls += 1
    return database.sql(...template)
  }) as unknown as typeof database.sql
  const tell = notifier({ sql }, 'bell')
  tell('first')
  for (let n = 0; n < 100; n += 1) tell(`text ${n % 3}`)
  tell()
  await eventually(() => expect(heard).toEqual(['first', 'text 0', 'text 1', 'text 2', '']))
  expect(calls).toBe(2)
  await session.end()
})
