import { grantUserPermission } from '@parley/contracts/identity/internals'
import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let member: TestUser
let channelId: number
let secretId: number

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  member = await world.user()
  const subscribe = (name: string, more: object = {}) =>
    succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name }], ...more }))
  await subscribe('news')
  await subscribe('secret', { invite_only: true })
  const { subscriptions } = await succeeded(owner.get('/users/me/subscriptions'))
  const idOf = (name: string) => subscriptions.find((one: { name: string }) => one.name === name).stream_id
  channelId = idOf('news')
  secretId = idOf('secret')
  await world.ask(grantUserPermission, {
    ...{ realm: world.subdomain, email: owner.email, permission: 'can_create_users', is_granted: true },
  })
})

describe('notices of the system bots', () => {
  it('welcome newcomers in the organization’s words, and announce them', async () => {
    await succeeded(
      owner.patch('/realm', {
        signup_announcements_stream_id: channelId,
        welcome_message_custom_text: 'Mind the **gap**.',
      }),
    )
    const reader = await EventReader.register(owner, { event_types: ['message'] })
    const newcomer = { email: 'new@example.org', password: 'a long enough secret', full_name: 'Nina New' }
    const { user_id } = await succeeded(owner.post('/users', newcomer))
    const signup = await reader.waitFor((event) => event.message?.subject === 'signups')
    expect(signup.message).toMatchObject({
      sender_full_name: 'Notification Bot',
      stream_id: channelId,
      content: `@_**Nina New|${user_id}** joined this organization.`,
    })
    const { api_key } = await succeeded(
      world.stranger().post('/fetch_api_key', { username: newcomer.email, password: newcomer.password }),
    )
    const nina = world.stranger({ email: newcomer.email, key: api_key })
    const welcome = async () => {
      const { messages } = await succeeded(
        nina.get('/messages', { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false }),
      )
      return messages.filter((message: { type: string }) => message.type === 'private')
    }
    await expect.poll(welcome, { timeout: 15_000 }).toHaveLength(1)
    const [message] = await welcome()
    expect(message.sender_full_name).toBe('Welcome Bot')
    expect(message.content).toContain('Mind the **gap**.')
    expect(message.flags).toEqual([])
  })

  it('can be tried out by administrators', async () => {
    const text = { welcome_message_custom_text: 'Hello _there_' }
    const { message_id } = await succeeded(owner.post('/realm/test_welcome_bot_custom_message', text))
    const { message } = await succeeded(owner.get(`/messages/${message_id}`, { apply_markdown: false }))
    expect(message).toMatchObject({ sender_full_name: 'Welcome Bot', content: 'Hello _there_' })
    const tooLong = { welcome_message_custom_text: 'x'.repeat(8001) }
    expect((await owner.post('/realm/test_welcome_bot_custom_message', tooLong)).body.code).toBe(
      'BAD_REQUEST',
    )
    expect((await member.post('/realm/test_welcome_bot_custom_message', text)).body.code).toBe(
      'UNAUTHORIZED_PRINCIPAL',
    )
    expect((await world.stranger().post('/realm/test_welcome_bot_custom_message', text)).status).toBe(401)
  })

  it('go to channels that are there', async () => {
    const foreigner = await (await World.create()).user({ role: 'owner' })
    const cases: [TestUser, Record<string, number>, string][] = [
      [owner, { new_stream_announcements_stream_id: 999_999_999 }, 'Invalid channel ID'],
      [foreigner, { new_stream_announcements_stream_id: channelId }, 'Invalid channel ID'],
      [owner, { moderation_request_channel_id: channelId }, 'Moderation request channel must be private.'],
      [member, { new_stream_announcements_stream_id: channelId }, 'Must be an organization administrator'],
    ]
    for (const [who, sent, msg] of cases) expect((await who.patch('/realm', sent)).body.msg).toBe(msg)
    await succeeded(owner.patch('/realm', { moderation_request_channel_id: secretId }))
    const { realm_moderation_request_channel_id } = await succeeded(
      owner.post('/register', { fetch_event_types: ['realm'] }),
    )
    expect(realm_moderation_request_channel_id).toBe(secretId)
    await succeeded(owner.patch('/realm', { moderation_request_channel_id: -1 }))
  })
})
