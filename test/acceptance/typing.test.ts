import { EventReader, type ReceivedEvent, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let ada: TestUser
let ben: TestUser
let cara: TestUser
let guest: TestUser
let channelId: number
let privateId: number

const capabilities = { stream_typing_notifications: true, empty_topic_name: true }
const listen = (user: TestUser, client_capabilities: object = capabilities) =>
  EventReader.register(user, { event_types: ['typing', 'typing_edit_message'], client_capabilities })

/** What a client got of typing by the time that a later event of its own arrived. */
const heardBy = async (reader: EventReader, user: TestUser): Promise<ReceivedEvent[]> => {
  await succeeded(user.post('/typing', { op: 'stop', to: [user.id] }))
  const isOwn = (event: ReceivedEvent) => event.recipients?.length === 1 && event.sender.user_id === user.id
  return (await reader.until(isOwn)).filter((event) => !isOwn(event))
}

const channelNamed = async (name: string, principals: TestUser[], options: object = {}): Promise<number> => {
  await succeeded(
    ada.post('/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: principals.map((user) => user.id),
      ...options,
    }),
  )
  const { subscriptions } = await succeeded(ada.get('/users/me/subscriptions'))
  return subscriptions.find((one: { name: string }) => one.name === name).stream_id
}

beforeAll(async () => {
  world = await World.create()
  ada = await world.user({ name: 'Ada' })
  ben = await world.user({ name: 'Ben' })
  cara = await world.user({ name: 'Cara' })
  guest = await world.user({ role: 'guest' })
  channelId = await channelNamed('talk', [ada, ben])
  privateId = await channelNamed('secret', [ada, ben], { invite_only: true })
})

describe('typing to people', () => {
  it('is told to them and to the other clients of the typist, not to anybody else', async () => {
    const [ours, theirs, others] = await Promise.all([listen(ada), listen(ben), listen(cara)])
    await succeeded(ada.post('/typing', { op: 'start', to: [ben.id] }))
    for (const reader of [ours, theirs]) {
      expect(await reader.waitFor((event) => event.op === 'start')).toEqual({
        id: expect.any(Number),
        type: 'typing',
        op: 'start',
        message_type: 'direct',
        sender: { user_id: ada.id, email: ada.email },
        recipients: [ada, ben].map(({ id, email }) => ({ user_id: id, email })),
      })
    }
    await succeeded(ada.post('/typing', { op: 'stop', type: 'direct', to: [ben.id, ada.id] }))
    await theirs.waitFor((event) => event.op === 'stop')
    expect(await heardBy(others, cara)).toEqual([])
  })

  it('is refused without readers, and to people of elsewhere', async () => {
    const foreigner = await (await World.create()).user()
    const cases: [Record<string, unknown>, string, string][] = [
      [{ op: 'start' }, 'REQUEST_VARIABLE_MISSING', "Missing 'to' argument"],
      [{ op: 'start', to: [] }, 'BAD_REQUEST', "Empty 'to' list"],
      [{ op: 'start', to: [foreigner.id] }, 'BAD_REQUEST', `Invalid user ID ${foreigner.id}`],
      [{ op: 'start', to: [ben.id, 999_999_999] }, 'BAD_REQUEST', 'Invalid user ID 999999999'],
    ]
    for (const [sent, code, msg] of cases) {
      const { status, body } = await ada.post('/typing', sent)
      expect([status, body.code, body.msg]).toEqual([400, code, msg])
    }
    expect((await ada.post('/typing', { op: 'pause', to: [ben.id] })).status).toBe(400)
    expect((await ada.post('/typing', { op: 'start', to: 'ben' })).status).toBe(400)
    expect((await world.stranger().post('/typing', { op: 'start', to: [ben.id] })).status).toBe(401)
  })
})

describe('typing in a channel', () => {
  it('is told to its subscribers whose clients understand it', async () => {
    const [theirs, old, others] = await Promise.all([listen(ben), listen(ben, {}), listen(cara)])
    for (const type of ['stream', 'channel']) {
      await succeeded(ada.post('/typing', { op: 'start', type, stream_id: channelId, topic: `as ${type}` }))
      expect(await theirs.waitFor((event) => event.topic === `as ${type}`)).toEqual({
        id: expect.any(Number),
        type: 'typing',
        op: 'start',
        message_type: 'stream',
        sender: { user_id: ada.id, email: ada.email },
        stream_id: channelId,
        topic: `as ${type}`,
      })
    }
    expect(await heardBy(old, ben)).toEqual([])
    expect(await heardBy(others, cara)).toEqual([])
  })

  it('names the topic without a name as each client knows it', async () => {
    const [knowing, other] = await Promise.all([
      listen(ben),
      listen(ben, { stream_typing_notifications: true }),
    ])
    await succeeded(ada.post('/typing', { op: 'start', type: 'stream', stream_id: channelId, topic: '' }))
    expect((await knowing.waitFor(({ type }) => type === 'typing')).topic).toBe('')
    expect((await other.waitFor(({ type }) => type === 'typing')).topic).toBe('general chat')
  })

  it('is refused where sending would be, in the same words for hidden and for missing', async () => {
    const foreigner = await (await World.create()).user()
    const attempts = [
      { user: cara, stream_id: privateId },
      { user: guest, stream_id: channelId },
      { user: guest, stream_id: privateId },
      { user: foreigner, stream_id: channelId },
      { user: ada, stream_id: 999_999_999 },
    ]
    for (const { user, stream_id } of attempts) {
      const { status, body } = await user.post('/typing', {
        op: 'start',
        type: 'stream',
        stream_id,
        topic: 'x',
      })
      expect([status, body.code, body.stream_id]).toEqual([400, 'STREAM_DOES_NOT_EXIST', stream_id])
      expect(body.msg).toBe(`Channel with ID '${stream_id}' does not exist`)
    }
    const { body } = await ada.post('/typing', { op: 'start', type: 'stream', topic: 'x' })
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Missing channel ID' })
    const topicless = await ada.post('/typing', { op: 'start', type: 'stream', stream_id: channelId })
    expect(topicless.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'topic' })
  })
})

describe('editing a message', () => {
  const sent = async (parameters: Record<string, unknown>): Promise<number> =>
    (await succeeded(ada.post('/messages', { content: 'first words', ...parameters }))).id

  it('is told to the readers of a direct message', async () => {
    const id = await sent({ type: 'direct', to: [ben.id] })
    const [theirs, others] = await Promise.all([listen(ben), listen(cara)])
    await succeeded(ada.post(`/messages/${id}/typing`, { op: 'start' }))
    expect(await theirs.waitFor((event) => event.type === 'typing_edit_message')).toEqual({
      id: expect.any(Number),
      type: 'typing_edit_message',
      op: 'start',
      sender_id: ada.id,
      message_id: id,
      recipient: { type: 'direct', user_ids: [ada.id, ben.id] },
    })
    expect(await heardBy(others, cara)).toEqual([])
  })

  it('is told to the subscribers of a channel', async () => {
    const id = await sent({ type: 'stream', to: channelId, topic: 'plans' })
    const reader = await listen(ben)
    await succeeded(ada.post(`/messages/${id}/typing`, { op: 'start' }))
    await succeeded(ada.post(`/messages/${id}/typing`, { op: 'stop' }))
    expect(await reader.waitFor((event) => event.op === 'stop')).toEqual({
      id: expect.any(Number),
      type: 'typing_edit_message',
      op: 'stop',
      sender_id: ada.id,
      message_id: id,
      recipient: { type: 'channel', channel_id: channelId, topic: 'plans' },
    })
  })

  it('is not told to those who may not read the message', async () => {
    const protectedId = await channelNamed('protected', [ada, ben], {
      invite_only: true,
      history_public_to_subscribers: false,
    })
    const id = await sent({ type: 'stream', to: protectedId, topic: 'before' })
    await channelNamed('protected', [cara], { invite_only: true })
    const [theirs, late] = await Promise.all([listen(ben), listen(cara)])
    await succeeded(ada.post(`/messages/${id}/typing`, { op: 'start' }))
    await theirs.waitFor((event) => event.message_id === id)
    expect(await heardBy(late, cara)).toEqual([])
  })

  it('is refused to all but the author', async () => {
    const id = await sent({ type: 'stream', to: privateId, topic: 'ours' })
    const answers = await Promise.all([
      ben.post(`/messages/${id}/typing`, { op: 'start' }),
      cara.post(`/messages/${id}/typing`, { op: 'start' }),
      ada.post('/messages/999999999/typing', { op: 'start' }),
      ada.post(`/messages/${id}/typing`, { op: 'sideways' }),
    ])
    expect(answers.map(({ status, body }) => [status, body.msg])).toEqual([
      [400, "You don't have permission to edit this message"],
      [400, 'Invalid message(s)'],
      [400, 'Invalid message(s)'],
      [400, 'Invalid op'],
    ])
  })
})
