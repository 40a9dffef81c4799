import { randomBytes } from 'node:crypto'
import { Client, EventReader, eventually, type ReceivedEvent, succeeded, World } from '@parley/testkit'
import { afterAll, expect, it } from 'vitest'
import { type Botserver, prepareBotserver } from './receivers/botserver.ts'

let botserver: Botserver | undefined

afterAll(() => botserver?.stop())

it('the published Python bot server answers for a bot, unmodified', { timeout: 360_000 }, async () => {
  botserver = await prepareBotserver()
  // Python's resolver knows no subdomains of localhost.
  const world = await World.atRoot()
  const unique = randomBytes(4).toString('hex')
  const owner = await world.user({ name: 'Olga Owner', email: `olga-${unique}@bots.example` })
  const made = await succeeded(
    owner.post('/bots', {
      full_name: `Helper ${unique}`,
      short_name: `helper-${unique}`,
      bot_type: 3,
      payload_url: botserver.url,
    }),
  )
  const { state } = await EventReader.register(owner, { fetch_event_types: ['realm_bot'] })
  const { token } = state.realm_bots.find((bot: { user_id: number }) => bot.user_id === made.user_id)
    .services[0]
  const email = `helper-${unique}-bot@${world.host.split(':')[0]}`
  const site = `http://${world.host}`
  await botserver.serve('helloworld', { email, key: made.api_key, site, token })
  const bot = new Client(world.stack.origin, world.host, { email, key: made.api_key })
  await succeeded(bot.post('/messages', { type: 'direct', to: [owner.id], content: 'up' }))
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: `hall ${unique}` }],
      principals: [owner.id, made.user_id],
    }),
  )
  const reader = await EventReader.register(owner, { event_types: ['message'], apply_markdown: false })
  const isAnswer = (type: string) => (event: ReceivedEvent) =>
    event.type === 'message' && event.message.sender_id === made.user_id && event.message.type === type
  await succeeded(owner.post('/messages', { type: 'direct', to: [made.user_id], content: 'hello' }))
  expect((await reader.waitFor(isAnswer('private'), 40)).message.content).toBe('beep boop')
  await succeeded(
    owner.post('/messages', {
      type: 'stream',
      to: `hall ${unique}`,
      topic: 'hi',
      content: `@**Helper ${unique}** hello`,
    }),
  )
  const answer = (await reader.waitFor(isAnswer('stream'), 40)).message
  expect([answer.content, answer.subject]).toEqual(['beep boop', 'hi'])
  await eventually(async () => {
    const log = await succeeded(owner.get(`/bots/${made.user_id}/webhook/deliveries`))
    expect(log.deliveries.map((entry: { state: string }) => entry.state)).toEqual(['delivered', 'delivered'])
  })
})
