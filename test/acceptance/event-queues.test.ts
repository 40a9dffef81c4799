import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let anna: TestUser
let ben: TestUser

beforeAll(async () => {
  world = await World.create()
  anna = await world.user({ name: 'Anna' })
  ben = await world.user({ name: 'Ben' })
})

const note = async (to: TestUser, content: string): Promise<number> =>
  (await succeeded(anna.post('/messages', { type: 'direct', to: [to.id], content }))).id

describe('registration', () => {
  it('returns the queue, the levels, and the sections asked for', async () => {
    const { state } = await EventReader.register(anna)
    expect(state).toMatchObject({
      queue_id: expect.any(String),
      last_event_id: -1,
      zulip_feature_level: 509,
      service_feature_level: 509,
      event_queue_longpoll_timeout_seconds: 90,
      idle_queue_timeout_secs: 600,
      max_message_id: expect.any(Number),
      max_bulk_new_subscription_messages: 100,
      max_reminder_note_length: 1000,
      receives_typing_notifications: true,
      server_emoji_data_url: expect.stringMatching(/^http.*\/static\/generated\/emoji\/emoji_api\.json$/),
    })
    expect(state.realm_users.map((user: { user_id: number }) => user.user_id)).toEqual(
      expect.arrayContaining([anna.id, ben.id]),
    )
    expect(state.subscriptions).toEqual(expect.any(Array))
  })

  it('leaves out what was not asked for, and ignores names it does not know', async () => {
    const { state } = await EventReader.register(anna, { fetch_event_types: ['message', 'carrier_pigeon'] })
    expect(state.max_message_id).toEqual(expect.any(Number))
    expect(state.subscriptions).toBeUndefined()
  })

  it('takes the idle time that a client asks for', async () => {
    const mobile = await EventReader.register(anna, { idle_queue_timeout: 'mobile', fetch_event_types: [] })
    expect(mobile.state.idle_queue_timeout_secs).toBe(43_200)
    const own = await EventReader.register(anna, { idle_queue_timeout: 1200, fetch_event_types: [] })
    expect(own.state.idle_queue_timeout_secs).toBe(1200)
  })

  it('never leaves a gap or a repetition between the state and the events', async () => {
    let stop = false
    const sent: number[] = []
    const sending = (async () => {
      while (!stop) sent.push(await note(ben, `n${sent.length}`))
    })()
    const readers: EventReader[] = []
    for (let n = 0; n < 15; n += 1) {
      readers.push(await EventReader.register(ben, { event_types: ['message'] }))
    }
    stop = true
    await sending
    const last = sent.at(-1)!
    for (const reader of readers) {
      const expected = sent.filter((id) => id > reader.state.max_message_id)
      const got = expected.length === 0 ? [] : await reader.until((e) => e.message?.id === last)
      expect(got.map((e) => e.message.id)).toEqual(expected)
    }
  })
})

describe('polling', () => {
  it('answers at once when told not to wait', async () => {
    const reader = await EventReader.register(ben, { event_types: ['message'] })
    expect(await reader.poll({ dont_block: true })).toEqual([])
  })

  it('sends an event again until it is acknowledged', async () => {
    const reader = await EventReader.register(ben, { event_types: ['message'] })
    const id = await note(ben, 'again')
    await reader.waitFor((e) => e.message?.id === id)
    const poll = (last_event_id: number) =>
      succeeded(ben.get('/events', { queue_id: reader.queueId, last_event_id, dont_block: true }))
    const [event] = (await poll(-1)).events
    expect(event.message.id).toBe(id)
    expect((await poll(-1)).events).toHaveLength(1)
    expect((await poll(event.id)).events).toEqual([])
  })

  it('answers every poll that waits on one queue', async () => {
    const reader = await EventReader.register(ben, { event_types: ['message'] })
    const polls = [1, 2, 3].map(() =>
      succeeded(ben.get('/events', { queue_id: reader.queueId, last_event_id: -1 })),
    )
    const id = await note(ben, 'to all three')
    for (const { events } of await Promise.all(polls)) expect(events[0].message.id).toBe(id)
  })

  it('tells apart neither unknown, deleted nor foreign queues', async () => {
    const foreign = await EventReader.register(anna, { fetch_event_types: [] })
    const deleted = await EventReader.register(ben, { fetch_event_types: [] })
    await succeeded(ben.delete('/events', { queue_id: deleted.queueId }))
    for (const queue_id of [foreign.queueId, deleted.queueId, 'nonsense', '0:1:x', '99:99:abc']) {
      const answer = await ben.get('/events', { queue_id, last_event_id: -1, dont_block: true })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ result: 'error', code: 'BAD_EVENT_QUEUE_ID', queue_id })
      expect(answer.body.msg).toMatch(/^Bad event queue id:/i)
    }
    const erased = await ben.delete('/events', { queue_id: foreign.queueId })
    expect(erased.body.code).toBe('BAD_EVENT_QUEUE_ID')
    expect(await foreign.poll({ dont_block: true })).toEqual([])
  })

  it('filters by event type', async () => {
    const reader = await EventReader.register(ben, { event_types: ['subscription', 'message'] })
    await world.user({ name: 'Not wanted' })
    const id = await note(ben, 'wanted')
    const events = await reader.until((e) => e.message?.id === id)
    expect(events.map((e) => e.type)).toEqual(['message'])
  })
})

describe('queues end', () => {
  it('within a second when the key that opened them is replaced, or the account is deactivated', async () => {
    const owner = await world.user({ role: 'owner' })
    const ended = async (end: (of: TestUser) => Promise<unknown>): Promise<number> => {
      const leaving = await world.user()
      const reader = await EventReader.register(leaving, { event_types: ['message'], fetch_event_types: [] })
      const poll = leaving.get('/events', { queue_id: reader.queueId, last_event_id: -1 })
      expect(await reader.poll({ dont_block: true })).toEqual([])
      await end(leaving)
      const begun = Date.now()
      expect((await poll).body).toMatchObject({ result: 'error', code: 'BAD_EVENT_QUEUE_ID' })
      return Date.now() - begun
    }
    const replaced = await ended((of) => succeeded(of.post('/users/me/api_key/regenerate')))
    const deactivated = await ended((of) => succeeded(owner.delete(`/users/${of.id}`)))
    for (const milliseconds of [replaced, deactivated]) expect(milliseconds).toBeLessThan(1000)
  })
})

describe('without an account', () => {
  it('the organization and what it shows are read where spectators are let in, and nothing is where not', async () => {
    const open = await World.create()
    const owner = await open.user({ role: 'owner' })
    const stranger = open.stranger()
    const refused = await stranger.post('/register', { event_types: ['realm'] })
    expect([refused.status, refused.body.code]).toEqual([401, 'UNAUTHORIZED'])
    expect((await stranger.get('/server_settings')).body.realm_web_public_access_enabled).toBe(false)
    await succeeded(owner.patch('/realm', { enable_spectator_access: true }))
    const state = await succeeded(stranger.post('/register', {}))
    expect(state).toMatchObject({
      queue_id: null,
      last_event_id: -1,
      zulip_feature_level: 509,
      realm_enable_spectator_access: true,
    })
    // There is nothing to see yet.
    expect((await stranger.get('/server_settings')).body.realm_web_public_access_enabled).toBe(false)
    const shown = { subscriptions: [{ name: 'shown' }], is_web_public: true }
    await succeeded(owner.post('/users/me/subscriptions', shown))
    expect((await stranger.get('/server_settings')).body.realm_web_public_access_enabled).toBe(true)
    const wrong = open.stranger({ email: owner.email, key: 'x'.repeat(32) })
    expect((await wrong.post('/register', {})).body.code).toBe('INVALID_API_KEY')
    expect((await stranger.get('/events', { queue_id: 'x' })).status).toBe(401)
  })
})
