import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import zulip from 'zulip-js'
import { pythonWithClients } from '../running/python-clients.ts'

const unique = randomBytes(4).toString('hex')
let user: TestUser
let site: string

beforeAll(async () => {
  const world = await World.atRoot()
  user = await world.user({ name: `Unmodified ${unique}`, email: `unmodified-${unique}@root.example` })
  site = world.stack.origin.replace('127.0.0.1', 'localhost')
})

describe('the published clients work unmodified', () => {
  it('zulip-js sends, receives and lists', async () => {
    const client = await zulip({ username: user.email, apiKey: user.credentials!.key, realm: site })
    const channel = `js ${unique}`
    await succeeded(user.post('/users/me/subscriptions', { subscriptions: [{ name: channel }] }))
    const queue = await client.queues.register({ event_types: ['message'] })
    expect(queue.result).toBe('success')
    const sent = await client.messages.send({
      type: 'stream',
      to: channel,
      topic: 'js',
      content: 'from **JS**',
    })
    expect(sent).toMatchObject({ result: 'success', id: expect.any(Number) })
    const { events } = await client.events.retrieve({
      queue_id: queue.queue_id,
      last_event_id: -1,
      dont_block: false,
    })
    expect(events[0]).toMatchObject({ type: 'message', message: { id: sent.id, content: 'from **JS**' } })
    const { messages } = await client.messages.retrieve({ anchor: 'newest', num_before: 1, num_after: 0 })
    expect(messages.at(-1)).toMatchObject({ id: sent.id, display_recipient: channel })
    const { members } = await client.users.retrieve({ client_gravatar: true })
    expect(members.map((member: { email: string }) => member.email)).toContain(user.email)
    expect(await client.typing.send({ op: 'start', to: [user.id] })).toMatchObject({ result: 'success' })
    const subscriptions = await client.streams.subscriptions.retrieve()
    expect(subscriptions.subscriptions.map((s: { name: string }) => s.name)).toContain(channel)
    expect(await client.queues.deregister({ queue_id: queue.queue_id })).toMatchObject({ result: 'success' })
  })

  it('the Python client sends, receives and lists', async () => {
    const python = await pythonWithClients()
    const script = new URL('clients/send-and-receive.py', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(python, [
      script,
      site,
      user.email,
      user.credentials!.key,
      `python ${unique}`,
    ])
    const saw = JSON.parse(stdout)
    for (const part of [
      'subscribed',
      'sent',
      'events',
      'listed',
      'settings',
      'profile',
      'members',
      'deregistered',
      'pinged',
      'presence',
      'realm_presence',
      'typing',
      'status',
      'status_read',
      'bot',
      'pictured',
      'bot_user',
    ]) {
      expect(saw[part], part).toMatchObject({ result: 'success' })
    }
    expect(saw.events.events[0].message).toMatchObject({
      id: saw.sent.id,
      content: 'from **Python**',
      client: 'ParleyTest',
    })
    expect(saw.listed.messages.at(-1).id).toBe(saw.sent.id)
    for (const presences of [saw.pinged.presences, saw.realm_presence.presences]) {
      expect(presences[user.email].aggregated.status).toBe('active')
    }
    expect(saw.presence.presence.website).toMatchObject({ status: 'active', pushable: false })
    expect(saw.status_read.status).toMatchObject({ status_text: 'in a test', emoji_code: '1f40d' })
    expect(saw.bot.avatar_url).toMatch(new RegExp(`/${saw.bot.user_id}\\.png\\?version=1$`))
    expect(saw.bot_user.user.avatar_url).toBe(saw.bot.avatar_url.replace('version=1', 'version=2'))
    expect(saw.wrong).toMatchObject({
      result: 'error',
      code: 'STREAM_DOES_NOT_EXIST',
      stream: 'no such channel',
    })
  }, 180_000)
})
