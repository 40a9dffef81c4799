import { type Client, EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let ada: TestUser
let ben: TestUser
let guest: TestUser
let helper: Client
let foreigner: TestUser
let channelId: number

beforeAll(async () => {
  world = await World.create()
  ada = await world.user({ name: 'Ada' })
  ben = await world.user({ name: 'Ben' })
  guest = await world.user({ role: 'guest' })
  foreigner = await (await World.create()).user()
  const { api_key } = await succeeded(ada.post('/bots', { full_name: 'Helper', short_name: 'helper' }))
  helper = world.stranger({ email: `helper-bot@${world.host.split(':')[0]}`, key: api_key })
  await succeeded(
    ada.post('/users/me/subscriptions', { subscriptions: [{ name: 'plans' }], invite_only: true }),
  )
  const { subscriptions } = await succeeded(ada.get('/users/me/subscriptions'))
  channelId = subscriptions[0].stream_id
})

const refusal = async (call: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await call
  return [status, body.code]
}
const withoutId = ({ id: _, ...event }: Record<string, unknown>) => event

describe('drafts', () => {
  const draft = (wishes: object = {}) => ({
    type: 'stream',
    to: [channelId],
    topic: 't',
    content: 'c',
    ...wishes,
  })

  it('are the same in all clients of one user, and in nobody else’s', async () => {
    const reader = await EventReader.register(ada, { event_types: ['drafts'] })
    expect(reader.state.drafts).toEqual([])
    const { ids } = await succeeded(
      ada.post('/drafts', {
        drafts: [draft({ timestamp: 1_700_000_000 }), draft({ type: 'private', to: [ben.id] })],
      }),
    )
    await succeeded(
      ada.patch(`/drafts/${ids[0]}`, { draft: draft({ content: 'd', timestamp: 1_700_000_001 }) }),
    )
    const listed = await succeeded(ada.get('/drafts'))
    expect(listed.count).toBe(2)
    const drafts = listed.drafts.toReversed()
    expect(drafts[0]).toEqual({ id: ids[0], ...draft({ content: 'd' }), timestamp: 1_700_000_001 })
    const later = await EventReader.register(ada, { event_types: ['drafts'] })
    expect(later.state.drafts).toEqual([drafts[1], drafts[0]])
    await succeeded(ada.delete(`/drafts/${ids[1]}`))
    const told = (await reader.until((event) => event.op === 'remove')).map(withoutId)
    expect(told).toEqual([
      {
        type: 'drafts',
        op: 'add',
        drafts: [{ ...drafts[0], content: 'c', timestamp: 1_700_000_000 }, drafts[1]],
      },
      { type: 'drafts', op: 'update', draft: drafts[0] },
      { type: 'drafts', op: 'remove', draft_id: ids[1] },
    ])
    expect((await later.until((event) => event.op === 'remove')).map(withoutId)).toEqual([told[2]])
    for (const other of [ben, guest, helper, foreigner]) {
      expect(await succeeded(other.get('/drafts'))).toMatchObject({ count: 0, drafts: [] })
      expect(await refusal(other.patch(`/drafts/${ids[0]}`, { draft: draft() }))).toEqual([
        404,
        'BAD_REQUEST',
      ])
      expect(await refusal(other.delete(`/drafts/${ids[0]}`))).toEqual([404, 'BAD_REQUEST'])
      expect(await refusal(other.post('/drafts', { drafts: [draft()] }))).toEqual([400, 'BAD_REQUEST'])
    }
    await succeeded(helper.post('/drafts', { drafts: [draft({ type: '', to: [] })] }))
  })

  it('are refused when they are none', async () => {
    for (const sent of [
      draft({ to: [] }),
      draft({ to: [channelId, channelId + 1] }),
      draft({ topic: 'a\0' }),
      draft({ content: '\0' }),
      draft({ type: 'private', to: [foreigner.id] }),
      { type: 'stream', to: [channelId], content: 'no topic' },
    ]) {
      expect(await refusal(ada.post('/drafts', { drafts: [sent] }))).toEqual([400, 'BAD_REQUEST'])
    }
    expect(await succeeded(ada.post('/drafts'))).toMatchObject({ ids: [] })
  })
})

describe('saved snippets and navigation views', () => {
  it('are the same in all clients of one user', async () => {
    const types = ['saved_snippets', 'navigation_view']
    const reader = await EventReader.register(ada, {
      event_types: types,
      fetch_event_types: ['saved_snippets', 'navigation_views'],
    })
    expect(reader.state).toMatchObject({ saved_snippets: [], navigation_views: [] })
    const { saved_snippet_id: id } = await succeeded(
      ada.post('/saved_snippets', { title: 'Hi', content: 'Hello **there**' }),
    )
    await succeeded(ada.patch(`/saved_snippets/${id}`, { title: 'Hey' }))
    const { saved_snippets } = await succeeded(ada.get('/saved_snippets'))
    expect(saved_snippets).toEqual([
      { id, title: 'Hey', content: 'Hello **there**', date_created: expect.any(Number) },
    ])
    const fragment = 'narrow/is/followed?a=ä b'
    const path = `/navigation_views/${encodeURIComponent(fragment)}`
    await succeeded(ada.post('/navigation_views', { fragment, is_pinned: true, name: 'Followed' }))
    await succeeded(ada.post('/navigation_views', { fragment: 'inbox', is_pinned: false }))
    await succeeded(ada.patch(path, { name: 'Mine' }))
    const { navigation_views } = await succeeded(ada.get('/navigation_views'))
    expect(navigation_views).toEqual([
      { fragment, is_pinned: true, name: 'Mine' },
      { fragment: 'inbox', is_pinned: false, name: null },
    ])
    const later = await EventReader.register(ada, {
      event_types: types,
      fetch_event_types: ['saved_snippets', 'navigation_views'],
    })
    expect(later.state).toMatchObject({ saved_snippets, navigation_views })
    for (const other of [ben, guest, helper, foreigner]) {
      expect(await refusal(other.patch(path, { is_pinned: false }))).toEqual([404, 'BAD_REQUEST'])
      expect(await refusal(other.delete(path))).toEqual([404, 'BAD_REQUEST'])
      expect(await refusal(other.patch(`/saved_snippets/${id}`, { title: 'x' }))).toEqual([
        404,
        'BAD_REQUEST',
      ])
      expect(await refusal(other.delete(`/saved_snippets/${id}`))).toEqual([404, 'BAD_REQUEST'])
      expect((await succeeded(other.get('/saved_snippets'))).saved_snippets).toEqual([])
      expect((await succeeded(other.get('/navigation_views'))).navigation_views).toEqual([])
    }
    await succeeded(ada.delete(`/saved_snippets/${id}`))
    await succeeded(ada.delete(path))
    const told = await reader.until((event) => event.type === 'navigation_view' && event.op === 'remove')
    expect(told.filter((event) => event.type === 'saved_snippets').map((event) => event.op)).toEqual([
      'add',
      'update',
      'remove',
    ])
    expect(told.filter((event) => event.type === 'navigation_view').map(withoutId)).toEqual([
      {
        type: 'navigation_view',
        op: 'add',
        navigation_view: { fragment, is_pinned: true, name: 'Followed' },
      },
      { type: 'navigation_view', op: 'add', navigation_view: navigation_views[1] },
      { type: 'navigation_view', op: 'update', fragment, data: { name: 'Mine' } },
      { type: 'navigation_view', op: 'remove', fragment },
    ])
  })
})

describe('scheduled messages and reminders', () => {
  it('come at their time, once, to whom they are for', async () => {
    const types = ['message', 'scheduled_messages', 'reminders', 'realm_user']
    const reader = await EventReader.register(ada, { event_types: types })
    expect(reader.state).toMatchObject({ scheduled_messages: [], reminders: [] })
    const [bot] = reader.state.cross_realm_bots
    expect(bot).toMatchObject({ full_name: 'Notification Bot', is_system_bot: true, is_bot: true })
    const bens = await EventReader.register(ben, { event_types: ['message'] })
    const hour = Math.floor(Date.now() / 1000) + 3600
    const { scheduled_message_id: id } = await succeeded(
      ada.post('/scheduled_messages', {
        ...{ type: 'direct', to: [ben.id], content: 'good *morning*', scheduled_delivery_timestamp: hour },
      }),
    )
    const to = { type: 'channel', to: channelId, topic: 'x' }
    const { id: target } = await succeeded(ada.post('/messages', { ...to, content: 'do not forget' }))
    const remind = (scheduled_delivery_timestamp: number) =>
      succeeded(ada.post('/reminders', { message_id: target, scheduled_delivery_timestamp, note: 'really' }))
    const { reminder_id } = await remind(hour)
    const { scheduled_messages } = await succeeded(ada.get('/scheduled_messages'))
    expect(scheduled_messages).toMatchObject([
      { to: [ben.id], rendered_content: '<p>good <em>morning</em></p>' },
    ])
    const { reminders } = await succeeded(ada.get('/reminders'))
    expect(reminders).toMatchObject([{ reminder_id, to: [ada.id], reminder_target_message_id: target }])
    const later = await EventReader.register(ada, { event_types: types })
    expect(later.state).toMatchObject({ scheduled_messages, reminders })

    for (const other of [ben, guest, helper, foreigner]) {
      const change = { content: 'mine' }
      expect(await refusal(other.patch(`/scheduled_messages/${id}`, change))).toEqual([404, 'BAD_REQUEST'])
      expect(await refusal(other.delete(`/scheduled_messages/${id}`))).toEqual([404, 'BAD_REQUEST'])
      expect(await refusal(other.delete(`/reminders/${reminder_id}`))).toEqual([404, 'BAD_REQUEST'])
      const wish = { message_id: target, scheduled_delivery_timestamp: hour }
      expect(await refusal(other.post('/reminders', wish))).toEqual([400, 'BAD_REQUEST'])
      const message = { ...to, content: 'x', scheduled_delivery_timestamp: hour }
      // A bot writes where its owner is.
      if (other !== helper) {
        const refused = await refusal(other.post('/scheduled_messages', message))
        expect(refused).toEqual([400, 'STREAM_DOES_NOT_EXIST'])
      }
      expect((await succeeded(other.get('/reminders'))).reminders).toEqual([])
    }

    await succeeded(ada.delete(`/reminders/${reminder_id}`))
    const at = Math.floor(Date.now() / 1000) + 3
    await remind(at)
    await succeeded(ada.patch(`/scheduled_messages/${id}`, { scheduled_delivery_timestamp: at }))
    const received = await bens.waitFor((event) => event.type === 'message')
    expect(received.message).toMatchObject({ sender_id: ada.id, content: 'good *morning*' })
    expect(received.message.timestamp).toBeGreaterThanOrEqual(at)
    const reminder = await reader.waitFor((event) => event.message?.sender_id === bot.user_id)
    expect(reminder.message.content).toContain('do not forget')
    const isOver = (event: { type: string; op?: string; reminder_id?: number }) =>
      event.type === 'reminders' && event.op === 'remove' && event.reminder_id !== reminder_id
    await reader.waitFor(isOver)
    await reader.waitFor((event) => event.type === 'scheduled_messages' && event.op === 'remove')
    expect(reader.received.filter((event) => event.message?.content === 'good *morning*')).toHaveLength(1)
    expect((await succeeded(ada.get('/scheduled_messages'))).scheduled_messages).toEqual([])
    const { messages } = await succeeded(
      ada.get('/messages', { anchor: 'newest', num_before: 5, num_after: 0 }),
    )
    expect(messages.map((message: { sender_id: number }) => message.sender_id)).toContain(bot.user_id)
  })
})

describe('a stranger', () => {
  it('has no personal things', async () => {
    const stranger = world.stranger()
    for (const path of [
      '/drafts',
      '/saved_snippets',
      '/navigation_views',
      '/scheduled_messages',
      '/reminders',
    ]) {
      expect((await stranger.get(path)).status).toBe(401)
      expect((await stranger.post(path, {})).status).toBe(401)
      expect((await stranger.delete(`${path}/1`)).status).toBe(401)
      if (path !== '/reminders') expect((await stranger.patch(`${path}/1`, {})).status).toBe(401)
    }
  })
})
