import { Client, EventReader, eventually, type ReceivedEvent, succeeded, World } from '@parley/testkit'
import { afterAll, expect, it } from 'vitest'
import { type Botserver, installBotserver, prepareBotserver } from './receivers/botserver.ts'

// Takes minutes on a loaded machine, so it runs when asked for: BOTSERVER=on npm test -- test/acceptance/published-botserver.test.ts
const missing = process.env.BOTSERVER === 'on' ? installBotserver() : 'BOTSERVER is not on'
let botserver: Botserver | undefined

afterAll(() => botserver?.stop())

it('the published Python bot server answers for a bot, unmodified', { timeout: 240_000 }, async (context) => {
  if (missing !== undefined) return context.skip(missing)
  botserver = await prepareBotserver()
  const world = await World.create()
  const owner = await world.user({ name: 'Olga Owner', role: 'owner' })
  const made = await succeeded(
    owner.post('/bots', {
      full_name: 'Helper',
      short_name: 'helper',
      bot_type: 3,
      payload_url: botserver.url,
    }),
  )
  const { state } = await EventReader.register(owner, { fetch_event_types: ['realm_bot'] })
  const { token } = state.realm_bots[0].services[0]
  const email = `helper-bot@${world.host.split(':')[0]}`
  const site = `http://${world.host}`
  await botserver.serve('helloworld', { email, key: made.api_key, site, token })
  const bot = new Client(world.stack.origin, world.host, { email, key: made.api_key })
  await succeeded(bot.post('/messages', { type: 'direct', to: [owner.id], content: 'up' }))
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: 'hall' }],
      principals: [owner.id, made.user_id],
    }),
  )
  const reader = await EventReader.register(owner, { event_types: ['message'], apply_markdown: false })
  const isAnswer = (type: string) => (event: ReceivedEvent) =>
    event.type === 'message' && event.message.sender_id === made.user_id && event.message.type === type
  await succeeded(owner.post('/messages', { type: 'direct', to: [made.user_id], content: 'hello' }))
  expect((await reader.waitFor(isAnswer('private'), 40)).message.content).toBe('beep boop')
  await succeeded(
    owner.post('/messages', { type: 'stream', to: 'hall', topic: 'hi', content: '@**Helper** hello' }),
  )
  const answer = (await reader.waitFor(isAnswer('stream'), 40)).message
  expect([answer.content, answer.subject]).toEqual(['beep boop', 'hi'])
  await eventually(async () => {
    const log = await succeeded(owner.get(`/bots/${made.user_id}/webhook/deliveries`))
    expect(log.deliveries.map((entry: { state: string }) => entry.state)).toEqual(['delivered', 'delivered'])
  })
})
