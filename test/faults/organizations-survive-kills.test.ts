import { purgeStatus, traces } from '@parley/contracts/identity/realm-data-questions'
import { EventReader, eventually, succeeded, World } from '@parley/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'

let stack: FaultStack
beforeAll(async () => {
  stack = await faultStack()
})
afterAll(() => stack?.end())

const messages = 400

const talk = async (world: World) => {
  const owner = await world.user({ role: 'owner' })
  const other = await world.user()
  const subscriptions = JSON.stringify([{ name: 'talk' }])
  await succeeded(owner.post('/users/me/subscriptions', { subscriptions }))
  await succeeded(other.post('/users/me/subscriptions', { subscriptions }))
  const ids: number[] = []
  for (let n = 0; n < messages; n += 20) {
    const sent = Array.from({ length: 20 }, (_, k) =>
      succeeded(
        owner.post('/messages', { type: 'channel', to: 'talk', topic: `t${k}`, content: `message ${n + k}` }),
      ),
    )
    for (const { id } of await Promise.all(sent)) ids.push(id)
  }
  await succeeded(other.post('/messages/flags', { messages: ids, op: 'add', flag: 'starred' }))
  await EventReader.register(other, {})
  return { owner, other }
}

/** What nothing changes by itself: counts are made after the fact, and notices wait to be sent. */
const lasting = async (world: World) => {
  const { channels, identity } = (await world.ask(traces, { realm_id: world.realmId })).traces
  const { messages, message_flags, subscription_periods } = channels!
  const { users, user_groups } = identity!
  return { messages, message_flags, subscription_periods, users, user_groups }
}

it('an organization ends without a trace although services are killed while it does, and its neighbour is whole', async () => {
  const ending = await World.create(stack.address, { demoDays: 10 })
  const staying = await World.create(stack.address)
  const { owner } = await talk(ending)
  const kept = await talk(staying)
  const before = await lasting(staying)
  expect(before.messages).toBeGreaterThanOrEqual(messages)

  // One that cannot begin, one that is killed with it, and the one that leads.
  await stack.kill('uploads', 'SIGKILL')
  await succeeded(owner.post('/realm/deactivate', { deletion_delay_days: 0 }))
  const status = () => ending.ask(purgeStatus, { realm: ending.subdomain })
  await eventually(async () => expect((await status()).state).toBe('purging'), 30)
  await stack.kill('channels', 'SIGKILL')
  await stack.restart('channels')
  await stack.kill('identity', 'SIGKILL')
  await stack.restart('identity')
  await eventually(async () => expect((await status()).services.channels?.is_done).toBe(true), 60)
  // Nothing is over while somebody has not said so.
  expect((await status()).state).toBe('purging')
  await stack.restart('uploads')
  await eventually(async () => expect((await status()).state).toBe('purged'), 90)
  await eventually(async () =>
    expect((await ending.ask(traces, { realm_id: ending.realmId })).traces).toEqual({}),
  )

  expect(await lasting(staying)).toEqual(before)
  const { messages: read } = await succeeded(
    kept.other.get('/messages', { anchor: 'newest', num_before: 1000, num_after: 0 }),
  )
  expect(read.length).toBeGreaterThanOrEqual(messages)
})
