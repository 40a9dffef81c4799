import { EventReader, eventually, succeeded, World } from '@parley/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { isMessageFrom, webhookHouse } from './webhook-house.ts'

const house = await webhookHouse()
afterAll(() => house.stop())
const { world, owner, writer, receiver, makeBot, sayInChannel, sayTo, deliveries, delivery, webhook } = house

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
