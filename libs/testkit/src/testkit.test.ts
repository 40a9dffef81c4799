import { expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { ownDatabase } from './own-database.ts'
import { startTraceReceiver } from './trace-receiver.ts'

it('eventually waits for a condition, and fails with what the condition said last', async () => {
  let looks = 0
  const third = () => {
    looks += 1
    if (looks < 3) throw new Error(`only ${looks}`)
    return looks
  }
  expect(await eventually(third)).toBe(3)
  const never = () => {
    throw new Error('never')
  }
  await expect(eventually(never, 0.05)).rejects.toThrow('never')
})

it("ownDatabase is empty, has the service's schema, is nobody else's, and is gone afterwards", async () => {
  const [one, two] = await Promise.all([ownDatabase('gateway'), ownDatabase('gateway')])
  await one.database.sql`INSERT INTO outbox (topic, key, value) VALUES ('t', 'k', 'null')`
  expect(await one.database.sql`SELECT FROM outbox`).toHaveLength(1)
  expect(await two.database.sql`SELECT FROM outbox`).toHaveLength(0)
  const name = new URL(one.url).pathname.slice(1)
  const isThere = () => two.database.sql`SELECT FROM pg_database WHERE datname = ${name}`
  expect(await isThere()).toHaveLength(1)
  await one.drop()
  expect(await isThere()).toHaveLength(0)
  await two.drop()
})

it('the trace receiver shows the spans of a trace, and only those', async () => {
  const receiver = await startTraceReceiver()
  const span = (traceId: string) => ({ traceId, spanId: 'a', name: 'work', kind: 1, attributes: [] })
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'channels' } }] }
  const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span('one'), span('two')] }] }] }
  await fetch(`${receiver.url}/v1/traces`, { method: 'POST', body: JSON.stringify(body) })
  const spans = await (await fetch(`${receiver.url}/spans/two`)).json()
  expect(spans).toMatchObject([{ service: 'channels', name: 'work', traceId: 'two' }])
  await receiver.stop()
})
