import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let anna: TestUser
let ben: TestUser
let guest: TestUser

beforeAll(async () => {
  world = await World.create()
  anna = await world.user({ name: 'Anna' })
  ben = await world.user({ name: 'Ben' })
  guest = await world.user({ name: 'Gus Guest', role: 'guest' })
})

const subscribe = (by: TestUser, names: string[], more: Record<string, unknown> = {}) =>
  by.post('/users/me/subscriptions', { subscriptions: names.map((name) => ({ name })), ...more })

describe('subscribing', () => {
  it('creates what does not exist and says what was there already', async () => {
    const first = await succeeded(subscribe(anna, ['alpha', 'beta']))
    expect(first.subscribed).toEqual({ [anna.id]: ['alpha', 'beta'] })
    expect(first.already_subscribed).toEqual({})
    const second = await succeeded(subscribe(anna, ['ALPHA', 'gamma']))
    expect(second.subscribed).toEqual({ [anna.id]: ['gamma'] })
    expect(second.already_subscribed).toEqual({ [anna.id]: ['alpha'] })
    const { subscriptions } = await succeeded(
      anna.get('/users/me/subscriptions', { include_subscribers: true }),
    )
    const alpha = subscriptions.find((s: { name: string }) => s.name === 'alpha')
    expect(alpha).toMatchObject({
      subscribers: [anna.id],
      creator_id: anna.id,
      invite_only: false,
      is_muted: false,
    })
    expect(alpha.color).toMatch(/^#[0-9a-f]{6}$/)
  })

  it('tells of the channel before the subscription, and others of the peer', async () => {
    const joining = await EventReader.register(ben, {
      event_types: ['stream', 'subscription'],
      include_subscribers: true,
    })
    await succeeded(subscribe(anna, ['delta']))
    await succeeded(subscribe(anna, ['delta'], { principals: [ben.id] }))
    const own = await joining.until((e) => e.type === 'subscription' && e.op === 'add')
    const kinds = own.map((e) => `${e.type} ${e.op}`)
    expect(kinds.indexOf('stream create')).toBeLessThan(kinds.indexOf('subscription add'))
    expect(own.at(-1).subscriptions[0]).toMatchObject({
      name: 'delta',
      subscribers: expect.arrayContaining([anna.id]),
    })
    const watching = await EventReader.register(anna, { event_types: ['subscription'] })
    const late = await world.user({ name: 'Late' })
    await succeeded(subscribe(anna, ['delta'], { principals: [late.email] }))
    const peer = await watching.waitFor((e) => e.op === 'peer_add' && e.user_ids.includes(late.id))
    expect(peer.stream_ids).toEqual([own.at(-1).subscriptions[0].stream_id])
  })

  it('makes one channel when many create it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => succeeded(subscribe(n % 2 ? anna : ben, ['raced']))),
    )
    expect(answers).toHaveLength(8)
    const { streams } = await succeeded(anna.get('/streams'))
    expect(streams.filter((s: { name: string }) => s.name.toLowerCase() === 'raced')).toHaveLength(1)
  })

  it('shows a guest only the channels the guest is in', async () => {
    await succeeded(subscribe(anna, ['open house']))
    await succeeded(subscribe(anna, ['with guest'], { principals: [anna.id, guest.id] }))
    const { streams } = await succeeded(guest.get('/streams'))
    expect(streams.map((s: { name: string }) => s.name)).toEqual(['with guest'])
  })

  it('refuses names that are empty or too long, and people who do not exist', async () => {
    for (const name of ['', '   ', 'x'.repeat(61), 'nul\u0000']) {
      const answer = await subscribe(anna, [name])
      expect(answer.status, JSON.stringify(name)).toBe(400)
    }
    expect((await subscribe(anna, ['ok'], { principals: [999_999_999] })).status).toBe(400)
    expect((await subscribe(anna, ['ok'], { principals: ['x@nowhere.example'] })).status).toBe(400)
  })

  it('hands a private channel to nobody who was not let in', async () => {
    await succeeded(subscribe(anna, ['vault'], { invite_only: true }))
    const forced = await subscribe(ben, ['vault'])
    expect(forced.status).toBe(400)
    const lenient = await succeeded(
      subscribe(ben, ['vault', 'fresh air'], { authorization_errors_fatal: false }),
    )
    expect(lenient.unauthorized).toEqual(['vault'])
    expect(lenient.subscribed).toEqual({ [ben.id]: ['fresh air'] })
  })
})
