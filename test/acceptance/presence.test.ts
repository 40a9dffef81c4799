import { deactivateUser } from '@parley/contracts/identity/internals'
import {
  Client,
  EventReader,
  eventually,
  type ReceivedEvent,
  succeeded,
  type TestUser,
  World,
} from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let ada: TestUser
let ben: TestUser

const now = () => Date.now() / 1000
const ping = (user: TestUser, parameters: Record<string, unknown> = {}) =>
  succeeded(user.post('/users/me/presence', { status: 'active', ...parameters }))

const isPresenceOf = (user: TestUser) => (event: ReceivedEvent) =>
  event.type === 'presence' && event.user_id === user.id

/** An own organization with two people, for tests that would see each other's presences. */
const twoPeople = async () => {
  const own = await World.create()
  return { own, one: await own.user(), other: await own.user() }
}

beforeAll(async () => {
  world = await World.create()
  ada = await world.user({ name: 'Ada' })
  ben = await world.user({ name: 'Ben' })
})

describe('telling that one is there', () => {
  it('answers with everybody by e-mail unless told otherwise', async () => {
    const { one, other } = await twoPeople()
    await ping(one, { ping_only: true })
    const answer = await ping(other, { status: 'idle' })
    expect(Object.keys(answer.presences).sort()).toEqual([one.email, other.email].sort())
    const { timestamp } = answer.presences[one.email].aggregated
    expect(Math.abs(timestamp - now())).toBeLessThan(30)
    expect(answer.presences[one.email]).toEqual({
      aggregated: { client: 'website', status: 'active', timestamp },
      website: { client: 'website', status: 'active', timestamp, pushable: false },
    })
    expect(answer.presences[other.email].website.status).toBe('idle')
    expect(answer.presence_last_update_id).toBeGreaterThan(0)
    expect(Math.abs(answer.server_timestamp - now())).toBeLessThan(30)
  })

  it('answers by ID with what changed since the last answer', async () => {
    const { one, other } = await twoPeople()
    const first = await ping(one, { last_update_id: -1 })
    expect(first.presences).toEqual({
      [one.id]: { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) },
    })
    const quiet = await ping(one, { last_update_id: first.presence_last_update_id })
    expect(quiet).toMatchObject({
      presences: {},
      presence_last_update_id: first.presence_last_update_id,
    })
    await ping(other, { status: 'idle', ping_only: true })
    const news = await ping(one, { last_update_id: first.presence_last_update_id })
    // Both times: the apps that ask so stop at one without the other.
    expect(news.presences).toEqual({
      [other.id]: { active_timestamp: 0, idle_timestamp: expect.any(Number) },
    })
    const { presence } = await succeeded(one.get(`/users/${other.id}/presence`))
    expect(presence).not.toHaveProperty('active_timestamp')
    const { presences } = await succeeded(one.post('/register', { slim_presence: true }))
    expect(presences[other.id]).toEqual(news.presences[other.id])
    expect(news.presence_last_update_id).toBeGreaterThan(first.presence_last_update_id)
    await ping(other, { status: 'active', ping_only: true })
    const active = await ping(one, { last_update_id: news.presence_last_update_id })
    expect(active.presences[other.id].active_timestamp).toBeGreaterThan(0)
  })

  it('keeps to the wishes for the answer', async () => {
    const { one, other } = await twoPeople()
    await ping(one)
    expect(await ping(other, { ping_only: true })).not.toHaveProperty('presences')
    expect(Object.keys((await ping(other, { slim_presence: true })).presences)).toEqual(
      [one.id, other.id].map(String),
    )
    expect(await ping(other, { history_limit_days: 0, last_update_id: -1 })).toMatchObject({
      presences: {},
      presence_last_update_id: -1,
    })
  })

  it('refuses other words', async () => {
    const { status, body } = await ada.post('/users/me/presence', { status: 'busy' })
    expect(status).toBe(400)
    expect(body).toEqual({ result: 'error', msg: 'Invalid status: busy', code: 'BAD_REQUEST' })
    expect((await ada.post('/users/me/presence', {})).status).toBe(400)
    const stranger = world.stranger()
    expect((await stranger.post('/users/me/presence', { status: 'active' })).status).toBe(401)
  })

  it('names what the server does not know', async () => {
    const answer = await ping(ada, { foo: 1 })
    expect(answer.ignored_parameters_unsupported).toEqual(['foo'])
  })
})

describe('asking who is there', () => {
  it('lists everybody of the own organization only', async () => {
    const { one, other, own } = await twoPeople()
    await ping(one)
    await ping(ada)
    const { presences, server_timestamp } = await succeeded(other.get('/realm/presence'))
    expect(Object.keys(presences)).toEqual([one.email])
    expect(presences[one.email].aggregated.status).toBe('active')
    expect(Math.abs(server_timestamp - now())).toBeLessThan(30)
    expect((await own.stranger().get('/realm/presence')).status).toBe(401)
  })

  it('describes one account by ID and by e-mail, legacy keys first', async () => {
    await ping(ada)
    for (const name of [ada.id, encodeURIComponent(ada.email), ada.email.toUpperCase()]) {
      const { presence } = await succeeded(ben.get(`/users/${name}/presence`))
      expect(Object.keys(presence)).toEqual(['aggregated', 'website', 'active_timestamp', 'idle_timestamp'])
      expect(presence.aggregated).toMatchObject({ client: 'website', status: 'active' })
      expect(presence.aggregated).not.toHaveProperty('pushable')
      expect(presence.website.pushable).toBe(false)
      expect(presence.active_timestamp).toBe(presence.website.timestamp)
    }
  })

  it('leaves out the times of somebody who was never there', async () => {
    const unseen = await world.user()
    const { presence } = await succeeded(ben.get(`/users/${unseen.id}/presence`))
    expect(presence).toEqual({
      aggregated: { client: 'website', status: 'idle', timestamp: 0 },
      website: { client: 'website', status: 'idle', timestamp: 0, pushable: false },
    })
  })

  it('knows nobody of other organizations', async () => {
    const { one } = await twoPeople()
    await ping(one)
    for (const name of [one.id, one.email, 0, 'nobody']) {
      const { status, body } = await ada.get(`/users/${name}/presence`)
      expect(status).toBe(400)
      expect(body).toEqual({ result: 'error', msg: 'No such user', code: 'BAD_REQUEST' })
    }
  })
})

describe('bots and accounts that ended', () => {
  it('counts a bot like anybody', async () => {
    const { one, other } = await twoPeople()
    const { api_key, user_id } = await succeeded(
      one.post('/bots', { full_name: 'Helper', short_name: 'helper' }),
    )
    const { bots } = await succeeded(one.get('/bots'))
    const bot = new Client(world.stack.origin, one.host, { email: bots[0].username, key: api_key })
    await succeeded(bot.post('/users/me/presence', { status: 'active' }))
    const { presence } = await succeeded(other.get(`/users/${user_id}/presence`))
    expect(presence.aggregated.status).toBe('active')
    expect(Object.keys((await ping(other, { slim_presence: true })).presences)).toContain(String(user_id))
  })

  it('shows nothing of an account that ended', async () => {
    const { own, one, other } = await twoPeople()
    await ping(one)
    await succeeded(one.post('/users/me/status', { status_text: 'leaving' }))
    expect((await ping(other)).presences).toHaveProperty([one.email])
    await own.ask(deactivateUser, { realm: own.subdomain, email: one.email })
    await eventually(async () => {
      expect(Object.keys((await ping(other)).presences)).toEqual([other.email])
      expect(Object.keys((await ping(other, { slim_presence: true })).presences)).toEqual([String(other.id)])
      const { state } = await EventReader.register(other, { fetch_event_types: ['presence', 'user_status'] })
      expect([Object.keys(state.presences), state.user_status]).toEqual([[other.email], {}])
    })
    expect((await other.get(`/users/${one.id}/presence`)).body.msg).toBe('No such user')
  })
})

describe('presence events', () => {
  it('tell others once that somebody came back, and not of every ping', async () => {
    const { one, other } = await twoPeople()
    const reader = await EventReader.register(other, { event_types: ['presence', 'user_status'] })
    await ping(one)
    await ping(one)
    const event = await reader.waitFor(isPresenceOf(one))
    expect(event).toEqual({
      id: expect.any(Number),
      type: 'presence',
      user_id: one.id,
      email: one.email,
      server_timestamp: expect.any(Number),
      presence: {
        website: { client: 'website', status: 'active', timestamp: expect.any(Number), pushable: false },
      },
    })
    await succeeded(one.post('/users/me/status', { status_text: 'done' }))
    const seen = await reader.until((next) => next.type === 'user_status')
    expect(seen.filter(isPresenceOf(one))).toHaveLength(1)
  })

  it('have the form that each client asked for', async () => {
    const { one, other } = await twoPeople()
    const slim = await EventReader.register(other, { event_types: ['presence'], slim_presence: true })
    const modern = await EventReader.register(other, {
      event_types: ['presence'],
      client_capabilities: { simplified_presence_events: true },
    })
    await ping(one)
    expect(await slim.waitFor(isPresenceOf(one))).not.toHaveProperty('email')
    const event = await modern.waitFor(({ type }) => type === 'presence')
    expect(event).toEqual({
      id: expect.any(Number),
      type: 'presence',
      presences: {
        [one.id]: { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) },
      },
    })
  })

  it('are not sent for somebody who is idle', async () => {
    const { one, other } = await twoPeople()
    const reader = await EventReader.register(other, { event_types: ['presence'] })
    await ping(one, { status: 'idle' })
    await ping(other)
    const seen = await reader.until(isPresenceOf(other))
    expect(seen.filter(isPresenceOf(one))).toEqual([])
  })
})

describe('registration', () => {
  it('holds the presences in both shapes, the statuses and the intervals', async () => {
    const { one, other } = await twoPeople()
    const { presence_last_update_id } = await ping(one)
    await succeeded(one.post('/users/me/status', { status_text: 'here', emoji_name: 'tada' }))
    const { state } = await EventReader.register(other, {
      fetch_event_types: ['presence', 'user_status', 'realm'],
    })
    expect(state).toMatchObject({
      presences: { [one.email]: { aggregated: { status: 'active' } } },
      presence_last_update_id,
      server_timestamp: expect.any(Number),
      user_status: {
        [one.id]: {
          status_text: 'here',
          emoji_name: 'tada',
          emoji_code: '1f389',
          reaction_type: 'unicode_emoji',
        },
      },
      server_presence_ping_interval_seconds: 60,
      server_presence_offline_threshold_seconds: 200,
      server_typing_started_wait_period_milliseconds: 30_000,
      server_typing_stopped_wait_period_milliseconds: 12_000,
      server_typing_started_expiry_period_milliseconds: 45_000,
    })
    for (const wish of [
      { slim_presence: true },
      { client_capabilities: { simplified_presence_events: true } },
    ]) {
      const modern = await EventReader.register(other, { fetch_event_types: ['presence'], ...wish })
      expect(modern.state.presences).toEqual({
        [one.id]: { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) },
      })
    }
    const none = await EventReader.register(other, {
      fetch_event_types: ['presence'],
      presence_history_limit_days: 0,
    })
    expect(none.state).toMatchObject({ presences: {}, presence_last_update_id: -1 })
  })
})
