import { EventReader, succeeded } from '@parley/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, it } from 'vitest'
import { isMessageFrom, webhookHouse } from './webhook-house.ts'

const house = await webhookHouse()
afterAll(() => house.stop())
const { world, owner, writer, receiver, makeBot, sayInChannel, sayTo, delivery, webhook } = house

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
        subscriptions: [{ name: `cellar ${bot.id}` }],
        principals: [owner.id, writer.id],
        invite_only: true,
      }),
    )
    const say = async () =>
      (
        await succeeded(
          writer.post('/messages', {
            type: 'stream',
            to: `cellar ${bot.id}`,
            topic: 't',
            content: `@**${bot.name}**`,
          }),
        )
      ).id
    await delivery(bot, await say(), 'withdrawn')
    expect(await receiver.calls(bot.path)).toEqual([])
    await succeeded(
      owner.post('/users/me/subscriptions', {
        subscriptions: [{ name: `cellar ${bot.id}` }],
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
