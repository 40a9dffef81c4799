import {
  Client,
  EventReader,
  eventually,
  type ReceivedEvent,
  succeeded,
  type TestUser,
  World,
} from '@parley/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Receiver } from './receivers/receiver.ts'

let world: World
let owner: TestUser
let writer: TestUser
let receiver: Receiver
let made = 0

beforeAll(async () => {
  receiver = await Receiver.start()
  world = await World.create()
  owner = await world.user({ name: 'Olga Owner' })
  writer = await world.user({ name: 'Willy Writer' })
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: 'plaza' }],
      principals: [owner.id, writer.id],
    }),
  )
})

afterAll(() => receiver.stop())

/** An outgoing-webhook bot of the owner's, called at a path of its own. */
const makeBot = async (wishes: { interface_type?: number; payload_url?: string } = {}) => {
  made += 1
  const path = `/bot${made}`
  const name = `Hook ${made}`
  const bot = await succeeded(
    owner.post('/bots', {
      full_name: name,
      short_name: `hook${made}`,
      bot_type: 3,
      payload_url: `${receiver.url}${path}`,
      ...wishes,
    }),
  )
  const id: number = bot.user_id
  const email = `hook${made}-bot@${world.host.split(':')[0]}`
  const client = new Client(world.stack.origin, world.host, { email, key: bot.api_key })
  // Whoever has written is known by name to all who write afterwards.
  await sayTo([owner.id], 'here I am', client)
  return { id, name, email, path, client }
}

const sayInChannel = async (content: string, who: TestUser = writer): Promise<number> =>
  (await succeeded(who.post('/messages', { type: 'stream', to: 'plaza', topic: 'talk', content }))).id
const sayTo = async (to: number[], content: string, who: Client = writer): Promise<number> =>
  (await succeeded(who.post('/messages', { type: 'direct', to, content }))).id

const deliveries = async (bot: { id: number }, filters: object = {}, who: Client = owner) =>
  (await succeeded(who.get(`/bots/${bot.id}/webhook/deliveries`, { ...filters }))).deliveries
const delivery = (bot: { id: number }, messageId: number, state: string) =>
  eventually(async () => {
    const [found] = await deliveries(bot, { message_id: messageId })
    expect(found).toMatchObject({ state })
    return found
  })
const webhook = async (bot: { id: number }) => (await succeeded(owner.get(`/bots/${bot.id}/webhook`))).webhook

const isMessageFrom = (bot: { id: number }) => (event: ReceivedEvent) =>
  event.type === 'message' && event.message.sender_id === bot.id

describe('an outgoing-webhook bot', () => {
  it('is told of a message that mentions it in a channel, and its answer is posted there', async () => {
    const bot = await makeBot()
    await receiver.reply('At your **service**')
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    const content = `@**${bot.name}** are you there?`
    const id = await sayInChannel(content)
    const call = await receiver.call(bot.path)
    expect(call.method).toBe('POST')
    expect(call.headers['content-type']).toBe('application/json')
    const body = JSON.parse(call.body)
    expect(body).toEqual({
      bot_email: bot.email,
      bot_full_name: bot.name,
      data: content,
      trigger: 'mention',
      token: expect.any(String),
      message: expect.objectContaining({
        id,
        type: 'stream',
        subject: 'talk',
        display_recipient: 'plaza',
        sender_id: writer.id,
        sender_email: writer.email,
        content,
        content_type: 'text/x-markdown',
        rendered_content: expect.stringContaining(`data-user-id="${bot.id}"`),
      }),
    })
    expect(Object.keys(body.message)).not.toContain('avatar_is_gravatar')
    const { state } = await EventReader.register(owner, { fetch_event_types: ['realm_bot'] })
    const listed = state.realm_bots.find((entry: { user_id: number }) => entry.user_id === bot.id)
    expect(body.token).toBe(listed.services[0].token)
    const reply = await reader.waitFor(isMessageFrom(bot))
    expect(reply.message).toMatchObject({
      content: 'At your **service**',
      display_recipient: 'plaza',
      subject: 'talk',
    })
    expect(await delivery(bot, id, 'delivered')).toMatchObject({ attempts: 1, last_status: 200 })
  })

  it('is told of direct messages, alone and in groups, and answers all of them', async () => {
    const bot = await makeBot()
    await receiver.reply('hello, both')
    const reader = await EventReader.register(owner, { event_types: ['message'], apply_markdown: false })
    await sayTo([owner.id, bot.id], 'hi')
    const { body } = await receiver.call(bot.path)
    expect(JSON.parse(body)).toMatchObject({
      trigger: 'direct_message',
      data: 'hi',
      message: { type: 'private' },
    })
    const reply = await reader.waitFor(isMessageFrom(bot))
    expect(reply.message.display_recipient.map(({ id }: { id: number }) => id).sort()).toEqual(
      [owner.id, writer.id, bot.id].sort(),
    )
  })

  it('hears nothing of silent mentions, of bots, of itself, or of what is said elsewhere', async () => {
    const bot = await makeBot()
    const other = await makeBot()
    await receiver.say({})
    await sayInChannel(`@_**${bot.name}** quietly, and @**all**`)
    await sayTo([bot.id], 'from a bot', other.client)
    await sayTo([owner.id], 'from the bot itself', bot.client)
    await sayTo([owner.id], `@**${bot.name}** in another conversation`)
    const last = await sayTo([bot.id], 'now')
    await delivery(bot, last, 'delivered')
    expect((await receiver.calls(bot.path)).map((call) => JSON.parse(call.body).data)).toEqual(['now'])
  })

  it('hears nothing of private channels that it is not in, and of those that it is in', async () => {
    const bot = await makeBot()
    await receiver.say({})
    await succeeded(
      owner.post('/users/me/subscriptions', {
        subscriptions: [{ name: `cellar ${made}` }],
        principals: [owner.id, writer.id],
        invite_only: true,
      }),
    )
    const say = async () =>
      (
        await succeeded(
          writer.post('/messages', {
            type: 'stream',
            to: `cellar ${made}`,
            topic: 't',
            content: `@**${bot.name}**`,
          }),
        )
      ).id
    await delivery(bot, await say(), 'withdrawn')
    expect(await receiver.calls(bot.path)).toEqual([])
    await succeeded(
      owner.post('/users/me/subscriptions', {
        subscriptions: [{ name: `cellar ${made}` }],
        principals: [bot.id],
      }),
    )
    await delivery(bot, await say(), 'delivered')
    expect(await receiver.calls(bot.path)).toHaveLength(1)
  })

  it('may have nothing to say', async () => {
    const bot = await makeBot()
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    await receiver.say(
      { body: '' },
      { body: '""' },
      { body: '{"response_not_required":true,"content":"unsaid"}' },
      { body: '{"content":"  "}' },
      { headers: { 'content-type': 'text/plain' }, body: '{"response_string":"legacy"}' },
    )
    for (const text of ['1', '2', '3', '4', '5'])
      await delivery(bot, await sayTo([bot.id], text), 'delivered')
    const said = await reader.until(isMessageFrom(bot))
    expect(said.filter(isMessageFrom(bot)).map((event) => event.message.content)).toEqual(['legacy'])
  })

  it('may show a widget, by the rules of all messages', async () => {
    const bot = await makeBot()
    const poll = { widget_type: 'poll', extra_data: { question: 'Tea?', options: ['yes', 'no'] } }
    await receiver.say(
      { body: JSON.stringify({ content: 'Vote:', widget_content: JSON.stringify(poll) }) },
      { body: JSON.stringify({ content: 'Vote:', widget_content: '{"widget_type":"oracle"}' }) },
    )
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    await delivery(bot, await sayTo([bot.id], 'what do you think?'), 'delivered')
    const { message } = await reader.waitFor(isMessageFrom(bot))
    expect(message.content).toBe('Vote:')
    expect(message.submessages).toMatchObject([{ msg_type: 'widget', sender_id: bot.id }])
    expect(JSON.parse(message.submessages[0].content)).toEqual(poll)
    await sayTo([bot.id], 'and now?')
    const refused = await reader.waitFor(
      (event) => isMessageFrom(bot)(event) && event.message.id > message.id,
    )
    expect(refused.message.content).toMatch(/^Failure! widget_content is invalid/)
  })

  it('that is Slack-like is called with a form, and not about direct messages', async () => {
    const bot = await makeBot({ interface_type: 2 })
    await receiver.say({ body: '{"text":"<https://a.example/x|roger> &amp; out"}' })
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    const id = await sayInChannel(`@**${bot.name}** over`)
    const { body, headers } = await receiver.call(bot.path)
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    const form = Object.fromEntries(new URLSearchParams(body))
    expect(form).toEqual({
      token: expect.any(String),
      team_id: `T${world.realmId}`,
      team_domain: world.host,
      channel_id: expect.stringMatching(/^C\d+$/),
      channel_name: 'plaza',
      thread_ts: expect.stringMatching(/^\d+$/),
      timestamp: form.thread_ts,
      user_id: `U${writer.id}`,
      user_name: 'Willy Writer',
      text: `@**${bot.name}** over`,
      trigger_word: 'mention',
      service_id: String(bot.id),
    })
    expect((await reader.waitFor(isMessageFrom(bot))).message.content).toBe(
      '[roger](https://a.example/x) & out',
    )
    await delivery(bot, id, 'delivered')
    const direct = await sayTo([bot.id], 'psst')
    await delivery(bot, direct, 'failed')
    const notice = await reader.waitFor(
      (event) => isMessageFrom(bot)(event) && event.message.type === 'private',
    )
    expect(notice.message.content).toBe("Failure! Slack outgoing webhooks don't support direct messages.")
  })

  it('signs its calls as Standard Webhooks says, with both secrets during a rotation', async () => {
    const bot = await makeBot()
    await receiver.say({})
    const before = await webhook(bot)
    await delivery(bot, await sayTo([bot.id], 'one'), 'delivered')
    const first = await receiver.call(bot.path)
    new Webhook(before.signing_secret).verify(first.body, first.headers)
    expect(() => new Webhook(before.signing_secret).verify(`${first.body} `, first.headers)).toThrow()

    const { webhook: after } = await succeeded(owner.post(`/bots/${bot.id}/webhook/rotate_secret`))
    expect(after.signing_secret).not.toBe(before.signing_secret)
    expect(after.previous_secret_until).toBeGreaterThan(Date.now() / 1000)
    await delivery(bot, await sayTo([bot.id], 'two'), 'delivered')
    const second = await receiver.call(bot.path, 2)
    new Webhook(before.signing_secret).verify(second.body, second.headers)
    new Webhook(after.signing_secret).verify(second.body, second.headers)

    await succeeded(owner.post(`/bots/${bot.id}/webhook/rotate_secret`, { overlap_hours: 0 }))
    await delivery(bot, await sayTo([bot.id], 'three'), 'delivered')
    const third = await receiver.call(bot.path, 3)
    expect(() => new Webhook(after.signing_secret).verify(third.body, third.headers)).toThrow()
    new Webhook((await webhook(bot)).signing_secret).verify(third.body, third.headers)
  })
})

describe('a call that fails', () => {
  it('is made again under the same ID, and then answered', async () => {
    const bot = await makeBot()
    await receiver.say({ status: 500, body: 'oops' }, { body: '{"content":"second try"}' })
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    const id = await sayTo([bot.id], 'try')
    const first = await receiver.call(bot.path)
    const second = await receiver.call(bot.path, 2)
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(second.body).toBe(first.body)
    expect((await reader.waitFor(isMessageFrom(bot))).message.content).toBe('second try')
    const done = await delivery(bot, id, 'delivered')
    expect(done.delivery_id).toBe(first.headers['webhook-id'])
    const { delivery: full } = await succeeded(
      owner.get(`/bots/${bot.id}/webhook/deliveries/${done.delivery_id}`),
    )
    expect(full.attempt_log).toMatchObject([
      { number: 1, status: 500, response_body: 'oops', error: null },
      { number: 2, status: 200, error: null },
    ])
  })

  it('for good is told to the conversation and to the owner', async () => {
    const bot = await makeBot()
    await receiver.say({ status: 403, body: 'go ``` away' })
    const writerReads = await EventReader.register(writer, {
      event_types: ['message'],
      apply_markdown: false,
    })
    const ownerReads = await EventReader.register(owner, { event_types: ['message'], apply_markdown: false })
    const id = await sayTo([bot.id], 'let me in')
    expect((await writerReads.waitFor(isMessageFrom(bot))).message.content).toBe(
      'Failure! Third party responded with 403',
    )
    const { content, display_recipient } = (await ownerReads.waitFor(isMessageFrom(bot))).message
    expect(display_recipient.map((user: { id: number }) => user.id).sort()).toEqual([owner.id, bot.id].sort())
    expect(content).toContain(`/near/${id})`)
    expect(content).toContain('status code *403*')
    expect(content).toContain('````\ngo ``` away\n````')
    expect(await delivery(bot, id, 'failed')).toMatchObject({ attempts: 1 })
  })

  it('follows no redirect', async () => {
    const bot = await makeBot()
    await receiver.say({ status: 302, headers: { location: `${receiver.url}/elsewhere` } })
    await delivery(bot, await sayTo([bot.id], 'go'), 'failed')
    expect(await receiver.calls('/elsewhere')).toEqual([])
  })

  it('because the answer cannot be read is no failure of the delivery, yet told', async () => {
    const bot = await makeBot()
    await receiver.say({ body: '<html>' })
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    await delivery(bot, await sayTo([bot.id], 'hm'), 'delivered')
    expect((await reader.waitFor(isMessageFrom(bot))).message.content).toBe(
      'Failure! Invalid JSON in response',
    )
  })

  it('because the reply breaks the rules of messages tells so', async () => {
    const bot = await makeBot()
    await receiver.reply('x'.repeat(10_001))
    const reader = await EventReader.register(writer, { event_types: ['message'], apply_markdown: false })
    await sayTo([bot.id], 'long?')
    expect((await reader.waitFor(isMessageFrom(bot))).message.content).toMatch(/^Failure! Message too long/)
  })

  it('with 410 disables the webhook until somebody enables it', async () => {
    const bot = await makeBot()
    await receiver.say({ status: 410 })
    const ownerReads = await EventReader.register(owner, { event_types: ['message'], apply_markdown: false })
    await delivery(bot, await sayTo([bot.id], 'anybody?'), 'failed')
    expect(await webhook(bot)).toMatchObject({ enabled: false, disabled_reason: 'gone' })
    await ownerReads.waitFor(
      (event) => isMessageFrom(bot)(event) && event.message.content.includes('was disabled'),
    )
    const missed = await sayTo([bot.id], 'still?')
    const { delivery_id } = await delivery(bot, missed, 'failed')
    const redeliver = () => owner.post(`/bots/${bot.id}/webhook/deliveries/${delivery_id}/redeliver`)
    expect((await redeliver()).body.code).toBe('BAD_REQUEST')
    expect(await receiver.calls(bot.path)).toHaveLength(1)

    await receiver.say({})
    const { webhook: enabled } = await succeeded(owner.post(`/bots/${bot.id}/webhook/enable`))
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null })
    await succeeded(redeliver())
    await delivery(bot, missed, 'delivered')
    const call = await receiver.call(bot.path, 2)
    expect(call.headers['webhook-id']).toBe(delivery_id)
    expect(JSON.parse(call.body).data).toBe('still?')
  })
})

describe('the delivery log', () => {
  it('is filtered and paged', async () => {
    const bot = await makeBot()
    await receiver.say({})
    const ids: number[] = []
    for (const text of ['1', '2', '3']) ids.unshift(await sayTo([bot.id], text))
    // Only one conversation's messages are certain to be taken in in their order.
    for (const id of ids) await delivery(bot, id, 'delivered')
    const last = await sayInChannel(`@**${bot.name}**`)
    await delivery(bot, last, 'delivered')
    const seen = async (filters: object) =>
      (await deliveries(bot, filters)).map((entry: { message_id: number }) => entry.message_id)
    expect(await seen({})).toEqual([last, ...ids])
    expect(await seen({ trigger: 'direct_message' })).toEqual(ids)
    expect(await seen({ state: 'failed' })).toEqual([])
    const [first, second] = await deliveries(bot, { limit: 2 })
    expect([first.message_id, second.message_id]).toEqual([last, ids[0]])
    expect(await seen({ before: second.delivery_id })).toEqual(ids.slice(1))
    expect((await owner.get(`/bots/${bot.id}/webhook/deliveries`, { limit: 0 })).body.code).toBe(
      'BAD_REQUEST',
    )
  })

  it("is for the bot's owner and administrators only", async () => {
    const bot = await makeBot()
    await receiver.say({})
    const { delivery_id } = await delivery(bot, await sayTo([bot.id], 'x'), 'delivered')
    const paths: ['get' | 'post', string][] = [
      ['get', ''],
      ['get', '/deliveries'],
      ['get', `/deliveries/${delivery_id}`],
      ['post', `/deliveries/${delivery_id}/redeliver`],
      ['post', '/enable'],
      ['post', '/disable'],
      ['post', '/rotate_secret'],
    ]
    const other = await world.user({ role: 'moderator' })
    const guest = await world.user({ role: 'guest' })
    const foreign = await (await World.create()).user({ role: 'owner' })
    const administrator = await world.user({ role: 'administrator' })
    for (const [method, path] of paths) {
      const absent = (await owner[method](`/bots/999999999/webhook${path}`)).body
      expect(absent).toMatchObject({ code: 'BAD_REQUEST', msg: 'No such bot' })
      for (const stranger of [other, guest, foreign, bot.client]) {
        expect((await stranger[method](`/bots/${bot.id}/webhook${path}`)).body).toEqual(absent)
      }
      expect((await world.stranger()[method](`/bots/${bot.id}/webhook${path}`)).status).toBe(401)
      await eventually(() => succeeded(administrator[method](`/bots/${bot.id}/webhook${path}`)))
      if (path === '/disable') await succeeded(owner.post(`/bots/${bot.id}/webhook/enable`))
      if (path.endsWith('redeliver')) await receiver.call(bot.path, 2)
    }
    const another = await makeBot()
    expect((await owner.get(`/bots/${another.id}/webhook/deliveries/${delivery_id}`)).body.msg).toBe(
      'No such delivery',
    )
    const generic = await succeeded(owner.post('/bots', { full_name: 'Plain', short_name: 'plain' }))
    expect((await owner.get(`/bots/${generic.user_id}/webhook`)).body.msg).toBe('No such bot')
    const person = await owner.get(`/bots/${writer.id}/webhook`)
    expect(person.body.msg).toBe('No such bot')
  })

  it('says when calls were stopped by hand', async () => {
    const bot = await makeBot()
    await receiver.say({})
    expect((await succeeded(owner.post(`/bots/${bot.id}/webhook/disable`))).webhook).toMatchObject({
      enabled: false,
      disabled_reason: 'by_hand',
    })
    const id = await sayTo([bot.id], 'off')
    expect(await delivery(bot, id, 'failed')).toMatchObject({
      attempts: 0,
      failure: 'The webhook was disabled.',
    })
    expect(await receiver.calls(bot.path)).toEqual([])
  })
})

describe('a bot that ends or moves', () => {
  it('is called at its new URL, and not at all once it is deactivated', async () => {
    const bot = await makeBot()
    await receiver.say({})
    await succeeded(
      owner.patch(`/bots/${bot.id}`, {
        service_payload_url: JSON.stringify(`${receiver.url}${bot.path}/new`),
      }),
    )
    await eventually(async () => expect((await webhook(bot)).url).toContain('/new'))
    await delivery(bot, await sayTo([bot.id], 'moved?'), 'delivered')
    expect(await receiver.calls(`${bot.path}/new`)).toHaveLength(1)
    const channelMessage = `@**${bot.name}** bye`
    await succeeded(owner.delete(`/bots/${bot.id}`))
    await sayInChannel(channelMessage)
    const sentinel = await makeBot()
    await delivery(sentinel, await sayTo([sentinel.id], 'after'), 'delivered')
    expect(await receiver.calls(`${bot.path}/new`)).toHaveLength(1)
  })
})
