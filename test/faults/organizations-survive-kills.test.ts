import { showApiKey } from '@parley/contracts/identity/internals'
import {
  beginImport,
  exportForOperator,
  purgeStatus,
  showExport,
  showImport,
  traces,
} from '@parley/contracts/identity/realm-data-questions'
import { Client, EventReader, eventually, succeeded, World } from '@parley/testkit'
import { beforeAll, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'

let stack: FaultStack
beforeAll(async () => {
  stack = await faultStack()
})

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

  // One that cannot begin (of uploads there are two processes), one that is killed with it, and the one that leads.
  await stack.kill('invitations', 'SIGKILL')
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
  await stack.restart('invitations')
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

// What a killed process had in hand is taken up when its claim is over: two minutes, for whoever has them (LONG=1).
it.runIf(process.env.LONG !== undefined)(
  'an archive becomes a whole organization, once, although services are killed while it is taken in',
  async () => {
    const world = await World.create(stack.address)
    const { owner, other } = await talk(world)
    const before = await lasting(world)
    const { ask } = world
    const { export_id } = await ask(exportForOperator, {
      realm: world.subdomain,
      export_type: 'full_without_consent',
    })
    const exported = await eventually(async () => {
      const found = await ask(showExport, { export_id })
      expect([found.state, found.error]).toEqual(['finished', null])
      return found
    }, 60)

    const subdomain = `${world.subdomain}b`
    const { import_id } = await ask(beginImport, {
      subdomain,
      archive_key: exported.object_key!,
      as_stubs: false,
    })
    const state = () => ask(showImport, { import_id })
    // The one that takes rows in, at once; the one that leads, twice, wherever it has come to.
    await stack.kill('channels', 'SIGKILL')
    await stack.kill('identity', 'SIGKILL')
    await stack.restart('identity')
    await stack.restart('channels')
    await eventually(async () => expect((await state()).attempts).toBeGreaterThan(0), 60)
    await stack.kill('identity', 'SIGKILL')
    await stack.restart('identity')
    await eventually(async () => {
      const { stage, error } = await state()
      expect([stage, error]).toEqual(['done', null])
    }, 120)

    const { realm_id, attempts } = await state()
    expect(attempts).toBeGreaterThan(1)
    const there = Object.assign(Object.create(world), { realmId: realm_id }) as World
    const kinds = ({ messages, message_flags, subscription_periods, users }: typeof before) => ({
      messages,
      message_flags,
      subscription_periods,
      users,
    })
    expect(kinds(await lasting(there))).toEqual(kinds(before))
    const clientOf = async (email: string) => {
      const { api_key } = await ask(showApiKey, { realm: subdomain, email })
      return new Client(world.stack.origin, `${subdomain}.${world.stack.host}`, { email, key: api_key })
    }
    const wish = { anchor: 'newest', num_before: 1000, num_after: 0 }
    const contents = async (client: Client) =>
      (await succeeded(client.get('/messages', { ...wish, apply_markdown: false }))).messages.map(
        ({ content, subject }: { content: string; subject: string }) => [subject, content],
      )
    // In the order in which they were written, none missing and none twice.
    expect(await contents(await clientOf(other.email))).toEqual(await contents(other))
    await succeeded(
      (await clientOf(owner.email)).post('/messages', {
        type: 'channel',
        to: 'talk',
        topic: 'n',
        content: 'new',
      }),
    )
  },
)
