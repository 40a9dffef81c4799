import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let anna: TestUser
let ben: TestUser
let carl: TestUser

beforeAll(async () => {
  world = await World.create()
  anna = await world.user({ name: 'Anna' })
  ben = await world.user({ name: 'Ben' })
  carl = await world.user({ name: 'Carl' })
})

let channels = 0
/** A channel of a test's own, with these members. */
const channelOf = async (members: TestUser[], more: Record<string, unknown> = {}): Promise<string> => {
  channels += 1
  const name = `channel ${channels}`
  await succeeded(
    members[0]!.post('/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: members.map((user) => user.id),
      ...more,
    }),
  )
  return name
}

const send = async (
  from: TestUser,
  to: unknown,
  content: string,
  more: Record<string, unknown> = {},
): Promise<number> =>
  (await succeeded(from.post('/messages', { type: 'channel', to, topic: 'talk', content, ...more }))).id

describe('a message', () => {
  it('reaches the other client through the whole house', async () => {
    const channel = await channelOf([anna, ben])
    const reader = await EventReader.register(ben, { event_types: ['message'], apply_markdown: false })
    const id = await send(anna, channel, 'Hello **Ben**')
    const event = await reader.waitFor((e) => e.type === 'message')
    expect(event.message).toMatchObject({
      id,
      type: 'stream',
      display_recipient: channel,
      subject: 'talk',
      content: 'Hello **Ben**',
      content_type: 'text/x-markdown',
      sender_id: anna.id,
      sender_email: anna.email,
      sender_full_name: 'Anna',
      sender_realm_str: world.subdomain,
      client: 'ParleyTest',
      is_me_message: false,
      reactions: [],
      submessages: [],
    })
    expect(event.flags).toEqual([])
    expect(Math.abs(event.message.timestamp - Date.now() / 1000)).toBeLessThan(60)
  })

  it('is rendered for the clients that ask for it', async () => {
    const channel = await channelOf([anna, ben])
    const html = await EventReader.register(ben, { event_types: ['message'], apply_markdown: true })
    await send(anna, channel, 'Hello **Ben** <script>')
    const event = await html.waitFor((e) => e.type === 'message')
    expect(event.message.content).toBe('<p>Hello <strong>Ben</strong> &lt;script&gt;</p>')
    expect(event.message.content_type).toBe('text/html')
  })

  it('goes to a channel by ID, by name in another case, and by a JSON list', async () => {
    const channel = await channelOf([anna, ben])
    const { subscriptions } = await succeeded(anna.get('/users/me/subscriptions'))
    const { stream_id } = subscriptions.find((s: { name: string }) => s.name === channel)
    const ids = [
      await send(anna, stream_id, 'by id'),
      await send(anna, channel.toUpperCase(), 'by name'),
      await send(anna, [channel], 'by list'),
      await send(anna, channel, 'old names', { type: 'stream', topic: undefined, subject: 'talk' }),
    ]
    for (const id of ids) {
      const { message } = await succeeded(ben.get(`/messages/${id}`))
      expect(message).toMatchObject({ stream_id, subject: 'talk' })
    }
  })

  it.each([
    ['IDs', (user: TestUser) => [user.id]],
    ['an e-mail', (user: TestUser) => [user.email]],
    ['a bare e-mail', (user: TestUser) => user.email],
  ])('goes to a person by %s, and comes back to the sender', async (_case, to) => {
    const readers = [
      await EventReader.register(ben, { event_types: ['message'] }),
      await EventReader.register(anna, { event_types: ['message'] }),
    ]
    const outsider = await EventReader.register(carl, { event_types: ['message'] })
    const id = await send(anna, to(ben), 'psst', { type: 'direct', topic: undefined })
    for (const reader of readers) {
      const { message } = await reader.waitFor((e) => e.message?.id === id)
      expect(message.type).toBe('private')
      expect(message.subject).toBe('')
      expect(message.display_recipient.map((r: { id: number }) => r.id).sort()).toEqual(
        [anna.id, ben.id].sort(),
      )
    }
    const marker = await send(carl, [carl.id], 'marker', { type: 'direct', topic: undefined })
    const seen = await outsider.until((e) => e.message?.id === marker)
    expect(seen.map((e) => e.message.id)).toEqual([marker])
  })

  it('is read by its sender and unread by others', async () => {
    const channel = await channelOf([anna, ben])
    const id = await send(anna, channel, 'mine')
    expect((await succeeded(anna.get(`/messages/${id}`))).message.flags).toContain('read')
    expect((await succeeded(ben.get(`/messages/${id}`))).message.flags).not.toContain('read')
  })

  it('is created once however often its sender repeats it', async () => {
    const channel = await channelOf([anna, ben])
    const reader = await EventReader.register(anna, { event_types: ['message'] })
    const repeated = { queue_id: reader.queueId, local_id: '17.01' }
    const ids = await Promise.all(Array.from({ length: 10 }, () => send(anna, channel, 'once', repeated)))
    expect(new Set(ids).size).toBe(1)
    const marker = await send(anna, channel, 'marker')
    const events = await reader.until((e) => e.message?.id === marker)
    expect(events.map((e) => e.message.id)).toEqual([ids[0], marker])
    expect(events[0].local_message_id).toBe('17.01')
    expect(events[1].local_message_id).toBeUndefined()
  })

  it('keeps its order in every queue while many send at once', async () => {
    const channel = await channelOf([anna, ben, carl])
    const readers = await Promise.all(
      [anna, ben, carl].map((user) => EventReader.register(user, { event_types: ['message'] })),
    )
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, n) => send([anna, ben, carl][n % 3]!, channel, `message ${n}`)),
    )
    const last = Math.max(...ids)
    for (const reader of readers) {
      const events = await reader.until((e) => e.message?.id === last)
      expect(events.map((e) => e.message.id)).toEqual(ids.toSorted((a, b) => a - b))
    }
  })
})

describe('what cannot be sent', () => {
  it('names the channel that does not exist', async () => {
    const byName = await anna.post('/messages', { type: 'channel', to: 'no such', topic: 't', content: 'x' })
    expect(byName.status).toBe(400)
    expect(byName.body).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: 'no such' })
    const byId = await anna.post('/messages', { type: 'channel', to: 999_999_999, topic: 't', content: 'x' })
    expect(byId.body).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream_id: 999_999_999 })
  })

  it('answers a private channel to outsiders as if it did not exist', async () => {
    const channel = await channelOf([anna, ben], { invite_only: true })
    const outside = await carl.post('/messages', { type: 'channel', to: channel, topic: 't', content: 'x' })
    expect(outside.status).toBe(400)
    expect(outside.body).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: channel })
  })

  it.each([
    ['no content', { content: '' }],
    ['blank content', { content: ' \n ' }],
    ['too much content', { content: 'x'.repeat(10_001) }],
    ['NUL', { content: 'a\u0000b' }],
    ['an unknown type', { type: 'carrier pigeon' }],
    ['an unknown person', { type: 'direct', to: ['nobody@nowhere.example'] }],
    ['nobody', { type: 'direct', to: [] }],
  ])('refuses %s', async (_case, wrong) => {
    const channel = await channelOf([anna])
    const answer = await anna.post('/messages', {
      type: 'channel',
      to: channel,
      topic: 't',
      content: 'x',
      ...wrong,
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ result: 'error', code: 'BAD_REQUEST' })
    expect(answer.body.msg).not.toBe('')
  })

  it('counts characters, not bytes, and shortens a long topic', async () => {
    const channel = await channelOf([anna])
    await send(anna, channel, '😀'.repeat(10_000))
    const id = await send(anna, channel, 'x', { topic: 't'.repeat(80) })
    const { message } = await succeeded(anna.get(`/messages/${id}`))
    expect(message.subject).toBe(`${'t'.repeat(57)}...`)
  })
})

describe('reading', () => {
  it('pages through a history around an anchor', async () => {
    const reader = await world.user({ name: 'Rita Reader' })
    const channel = await channelOf([reader])
    const ids: number[] = []
    for (let n = 0; n < 10; n += 1) ids.push(await send(reader, channel, `page ${n}`))
    const page = (parameters: object) =>
      succeeded(reader.get('/messages', { apply_markdown: false, ...parameters }))
    const idsOf = (body: { messages: { id: number }[] }) => body.messages.map((message) => message.id)

    const newest = await page({ anchor: 'newest', num_before: 3, num_after: 0 })
    expect(idsOf(newest)).toEqual(ids.slice(-3))
    expect(newest).toMatchObject({ found_newest: true, found_oldest: false })

    const oldest = await page({ anchor: 'oldest', num_before: 0, num_after: 4 })
    expect(idsOf(oldest)).toEqual(ids.slice(0, 4))
    expect(oldest).toMatchObject({ found_oldest: true, found_newest: false })

    const middle = await page({ anchor: ids[5], num_before: 2, num_after: 2 })
    expect(idsOf(middle)).toEqual(ids.slice(3, 8))
    expect(middle).toMatchObject({ anchor: ids[5], found_anchor: true, history_limited: false })

    const around = await page({ anchor: ids[5], num_before: 2, num_after: 2, include_anchor: false })
    expect(idsOf(around)).toEqual([ids[3], ids[4], ids[6], ids[7]])

    const all = await page({ anchor: ids[0], num_before: 100, num_after: 100 })
    expect(all).toMatchObject({ found_newest: true, found_oldest: true })
  })

  it('sends a long page in pieces, and says what it does not know at its end', async () => {
    const reader = await world.user({ name: 'Lena Long' })
    const channel = await channelOf([reader])
    const ids = await Promise.all(Array.from({ length: 120 }, (_, n) => send(reader, channel, `page ${n}`)))
    const page = async (count: number) => {
      const narrow = encodeURIComponent(JSON.stringify([['channel', channel]]))
      const query = `anchor=newest&num_before=${count}&num_after=0&narrow=${narrow}&unheard_of=1`
      const { headers, text } = await reader.sendRaw('GET', `/api/v1/messages?${query}`)
      return { headers, body: JSON.parse(text) }
    }
    const long = await page(200)
    expect(long.headers['content-length']).toBeUndefined()
    expect(long.body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['unheard_of'] })
    expect(long.body.messages.map(({ id }: { id: number }) => id)).toEqual(ids.toSorted((a, b) => a - b))
    const brief = await page(100)
    expect(brief.headers['content-length']).toBeDefined()
    expect(brief.body.messages).toEqual(long.body.messages.slice(-100))
  })

  it.each([
    [{ anchor: 'newest', num_before: -1, num_after: 0 }],
    [{ anchor: 'newest', num_before: 0, num_after: 5001 }],
    [{ anchor: 'sideways', num_before: 1, num_after: 1 }],
    [{ num_before: 1, num_after: 1 }],
    [{ anchor: 'newest', num_before: 'few', num_after: 1 }],
  ])('refuses %j', async (parameters) => {
    const answer = await anna.get('/messages', parameters)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toMatch(/BAD_REQUEST|REQUEST_VARIABLE_MISSING/)
  })

  it('keeps a private channel from those who are not in it, in every way', async () => {
    const channel = await channelOf([anna, ben], { invite_only: true })
    const outsider = await EventReader.register(carl)
    const id = await send(anna, channel, 'secret')
    const hidden = await carl.get(`/messages/${id}`)
    const absent = await carl.get('/messages/999999999')
    expect(hidden.status).toBe(400)
    expect(hidden.body).toEqual(absent.body)
    const history = await succeeded(
      carl.get('/messages', { anchor: 'newest', num_before: 100, num_after: 0 }),
    )
    expect(history.messages.map((message: { id: number }) => message.id)).not.toContain(id)
    const { streams } = await succeeded(carl.get('/streams'))
    expect(streams.map((stream: { name: string }) => stream.name)).not.toContain(channel)
    const marker = await send(carl, [carl.id], 'marker', { type: 'direct', topic: undefined })
    const events = await outsider.until((e) => e.message?.id === marker)
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(JSON.stringify(events)).not.toContain(channel)
  })

  it("does not cross into another organization's conversations", async () => {
    const channel = await channelOf([anna])
    const id = await send(anna, channel, 'ours')
    const foreigner = await (await World.create()).user({ role: 'owner' })
    expect((await foreigner.get(`/messages/${id}`)).status).toBe(400)
    const answer = await foreigner.post('/messages', { type: 'direct', to: [anna.id], content: 'hi' })
    expect(answer.status).toBe(400)
  })
})
