/**
 * Weaknesses that products of this family have had, each tried here from outside. Those that a room's own tests try are named
 * in test/security/weaknesses.ts.
 */
import { deactivateUser } from '@parley/contracts/identity/internals'
import { type Client, EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let admin: TestUser
let member: TestUser
let guest: TestUser
const password = 'umbrella giraffe tangent 9'

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  admin = await world.user({ role: 'administrator' })
  member = await world.user({ password })
  guest = await world.user({ role: 'guest' })
})

const keyIn = (link: string): string => new URL(link).pathname.split('/').findLast((part) => part !== '')!

describe("keys of bots are their owners' and administrators'", () => {
  it('and stand in nothing that anybody else can read or hears of', async () => {
    const people = [admin, member, guest]
    const readers = await Promise.all(people.map((one) => EventReader.register(one)))
    const made = await succeeded(owner.post('/bots', { full_name: 'B', short_name: 'b', bot_type: 1 }))
    const key: string = made.api_key
    for (const one of [member, guest]) {
      for (const answer of [
        await one.get(`/bots/${made.user_id}/api_key`),
        await one.post(`/bots/${made.user_id}/api_key/regenerate`),
        await one.patch(`/bots/${made.user_id}`, { full_name: 'Mine', bot_owner_id: one.id }),
        await one.delete(`/bots/${made.user_id}`),
      ])
        expect([answer.status >= 400, JSON.stringify(answer.body).includes(key)]).toEqual([true, false])
    }
    const end = await succeeded(
      owner.post('/messages', { type: 'direct', to: people.map(({ id }) => id), content: 'end' }),
    )
    for (const [place, reader] of readers.entries()) {
      const heard = await reader.until(({ message }) => message?.id === end.id)
      const fresh = (await EventReader.register(people[place]!)).state
      const seen = [
        heard,
        fresh,
        ...(await Promise.all(
          ['/users', '/bots', `/users/${made.user_id}`].map(
            async (path) => (await people[place]!.get(path)).body,
          ),
        )),
      ]
      // Administrators may ask for it, and are not told unasked.
      expect([place, JSON.stringify(seen.slice(place === 0 ? 3 : 0)).includes(key)]).toEqual([place, false])
    }
  })

  it('and a bot is not promoted, neither by its owner nor by itself, nor does it manage people', async () => {
    const made = await succeeded(member.post('/bots', { full_name: 'C', short_name: 'c', bot_type: 1 }))
    const { user } = await succeeded(owner.get(`/users/${made.user_id}`))
    const bot = world.stranger({ email: user.email, key: made.api_key })
    for (const answer of [
      await member.patch(`/bots/${made.user_id}`, { role: 100 }),
      await member.patch(`/bots/${made.user_id}`, { role: 200 }),
      await bot.patch(`/users/${made.user_id}`, { role: 100 }),
      await bot.patch(`/users/${member.id}`, { full_name: 'Taken over' }),
      await bot.post('/bots', { full_name: 'D', short_name: 'd', bot_type: 1 }),
    ])
      expect([answer.status, answer.body.result]).toEqual([400, 'error'])
    expect((await succeeded(owner.get(`/users/${made.user_id}`))).user.role).toBe(400)
  })
})

describe('an account that was deactivated', () => {
  it('comes in by no way of logging in, with nothing that it had', async () => {
    const gone = await world.user({ password })
    const bot = await succeeded(gone.post('/bots', { full_name: 'E', short_name: 'e', bot_type: 1 }))
    const { user } = await succeeded(owner.get(`/users/${bot.user_id}`))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const logIn = () =>
      world
        .stranger()
        .sendRaw(
          'POST',
          '/json/login',
          new URLSearchParams({ username: gone.email, password }).toString(),
          form,
        )
    const session = await logIn()
    expect(session.status).toBe(200)
    const cookie = [session.headers['set-cookie']]
      .flat()
      .map((one) => String(one).split(';')[0])
      .join('; ')
    const bySession = () => world.stranger().sendRaw('GET', '/json/users/me', undefined, { cookie })
    expect((await bySession()).status).toBe(200)
    await world.ask(deactivateUser, { realm: world.subdomain, email: gone.email })
    await eventually(async () => {
      expect((await gone.get('/users/me')).status).toBe(401)
      expect((await bySession()).status).toBe(401)
      expect((await world.stranger({ email: user.email, key: bot.api_key }).get('/users/me')).status).toBe(
        401,
      )
    }, 3)
    expect((await logIn()).status).toBe(401)
    for (const [path, wish] of [
      ['/fetch_api_key', { username: gone.email, password }],
      ['/dev_fetch_api_key', { username: gone.email }],
    ] as const) {
      const { status, body } = await world.stranger().post(path, wish)
      expect([path, status, body.api_key]).toEqual([path, 401, undefined])
    }
    // The way back in by mail is closed as well, and says nothing of it.
    const ask = async (email: string) => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const wish = new URLSearchParams({ email }).toString()
      const { status, text } = await world.stranger().sendRaw('POST', '/accounts/password/reset', wish, form)
      return [status, text.replaceAll(email, '')]
    }
    const asked = await ask(gone.email)
    expect(asked[0]).toBe(200)
    expect(asked).toEqual(await ask('nobody@nowhere.example'))
  })
})

describe('an invitation', () => {
  it('opens its own organization and role only, and a used one nothing', async () => {
    const elsewhere = await World.create()
    const boss = await elsewhere.user({ role: 'owner' })
    const { invite_link } = await succeeded(boss.post('/invites/multiuse', { invite_as: 100 }))
    const email = 'mallory@elsewhere.example'
    const key = keyIn(invite_link)
    // Without the confirmed address the link alone makes no account, in neither organization, with any role.
    for (const at of [world, elsewhere]) {
      for (const more of [{}, { role: 100 }, { invite_as: 100 }]) {
        const { status } = await at.stranger().post('/join', { key, full_name: 'M', password, ...more })
        expect(status).toBeGreaterThanOrEqual(400)
      }
    }
    expect((await world.stranger().post('/join/confirm', { key, email })).status).toBeGreaterThanOrEqual(400)
    for (const inviter of [admin, member, guest]) {
      const { status } = await inviter.post('/invites/multiuse', { invite_as: 100 })
      expect(status).toBe(400)
    }
  })
})

describe('history', () => {
  it('that somebody may not read is told by no event: edits, reactions, moves and deletions of before', async () => {
    const wish = {
      subscriptions: [{ name: 'past' }],
      invite_only: true,
      history_public_to_subscribers: false,
    }
    await succeeded(owner.post('/users/me/subscriptions', wish))
    const say = async (content: string) =>
      (await succeeded(owner.post('/messages', { type: 'channel', to: 'past', topic: 'old', content }))).id
    const [edited, deleted] = [await say('old secret'), await say('older secret')]
    const late = await EventReader.register(member, { event_types: null })
    await succeeded(
      owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'past' }], principals: [member.id] }),
    )
    await succeeded(owner.patch(`/messages/${edited}`, { content: 'new secret' }))
    await succeeded(owner.post(`/messages/${edited}/reactions`, { emoji_name: 'tada' }))
    await succeeded(owner.patch(`/messages/${edited}`, { topic: 'other', propagate_mode: 'change_one' }))
    await succeeded(owner.delete(`/messages/${deleted}`))
    const end = await say('for all')
    const heard = await late.until(({ message }) => message?.id === end)
    const types = new Set(heard.map(({ type }) => type))
    for (const type of ['update_message', 'reaction', 'delete_message'])
      expect([type, types.has(type)]).toEqual([type, false])
    expect(JSON.stringify(heard)).not.toContain('secret')
    for (const id of [edited, deleted]) expect((await member.get(`/messages/${id}`)).status).toBe(400)
  })
})

describe('a channel', () => {
  it('is read by guests in it only, by whatever way its messages can be named', async () => {
    await succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'public' }] }))
    const { id } = await succeeded(
      owner.post('/messages', { type: 'channel', to: 'public', topic: 'words', content: 'not for guests' }),
    )
    const { stream_id } = await succeeded(owner.get('/get_stream_id', { stream: 'public' }))
    const operands = [
      [{ operator: 'channel', operand: stream_id }],
      [{ operator: 'channel', operand: 'public' }],
      [{ operator: 'channels', operand: 'public' }],
      [{ operator: 'search', operand: 'guests' }],
      [{ operator: 'sender', operand: owner.id }],
      [{ operator: 'id', operand: id }],
      [{ operator: 'with', operand: id }],
      [{ operator: 'near', operand: id }],
      [],
    ]
    for (const narrow of operands) {
      const { body } = await guest.get('/messages', {
        anchor: 'newest',
        num_before: 50,
        num_after: 0,
        narrow,
      })
      expect([narrow, JSON.stringify(body).includes('not for guests')]).toEqual([narrow, false])
    }
    for (const path of [
      `/messages/${id}`,
      `/messages/${id}/history`,
      `/messages/${id}/read_receipts`,
      `/streams/${stream_id}`,
      `/streams/${stream_id}/members`,
      `/users/me/${stream_id}/topics`,
      '/get_stream_id?stream=public',
    ])
      expect([path, (await guest.get(path)).status]).toEqual([path, 400])
    for (const [path, wish] of [
      [`/messages/${id}/reactions`, { emoji_name: 'tada' }],
      ['/users/me/subscriptions', { subscriptions: [{ name: 'public' }] }],
      ['/messages', { type: 'channel', to: 'public', topic: 'words', content: 'hello' }],
    ] as const)
      expect([path, (await guest.post(path, wish)).status]).toEqual([path, 400])
    const { matches } = (
      await guest.get('/messages/matches_narrow', {
        msg_ids: [id],
        narrow: [{ operator: 'search', operand: 'guests' }],
      })
    ).body
    expect(Object.keys(matches ?? {})).toEqual([])
  })
})

describe('what somebody writes', () => {
  it('is markup of ours, and links lead to the web only', async () => {
    const content = [
      '<script>alert(1)</script><img src=x onerror=alert(1)>',
      '[x](javascript:alert(1)) [y](data:text/html,<script>alert(1)</script>) [z](https://evil.example/)',
      '[w]( java\tscript:alert(1)) ![a](https://evil.example/a.png"onerror="alert(1))',
      '$$\\href{javascript:alert(1)}{x}$$ @**"><script>alert(1)</script>**',
      '```"><script>alert(1)</script>\nx\n```',
    ].join('\n\n')
    const { rendered } = await succeeded(member.post('/messages/render', { content }))
    expect(rendered).not.toMatch(/<script|<[^>]*\son\w+=|(href|src)="\s*(javascript|data):/i)
    for (const [, target] of String(rendered).matchAll(/(?:href|src)="([^"]*)"/g))
      expect(target).toMatch(/^(https?:|mailto:|[#/])/)
  })
})

describe('answers', () => {
  it('of one account are kept by no cache between, at any door and for any status', async () => {
    const clients: [string, Client, string][] = [
      ['key', member, '/api/v1/users/me'],
      ['key, refused', member, '/api/v1/export/realm'],
      ['nobody', world.stranger(), '/api/v1/users/me'],
      ['settings', world.stranger(), '/api/v1/server_settings'],
    ]
    for (const [name, client, path] of clients) {
      const { headers } = await client.sendRaw('GET', path)
      expect([name, headers['cache-control']]).toEqual([name, expect.stringMatching(/no-store|private/)])
    }
  })
})
