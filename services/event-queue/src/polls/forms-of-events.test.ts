import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatQueueId } from '../queues/queue-id.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import { openPollRoom, type PollRoom, type TestQueue, words } from '../testing/poll-room.ts'

let room: PollRoom
beforeEach(async () => {
  room = await openPollRoom()
})
afterEach(() => room.close())

describe('forms of events', () => {
  const message = (fields: object = {}) => ({
    type: 'message',
    message: {
      id: 5,
      type: 'stream',
      stream_id: 3,
      subject: '',
      display_recipient: 'general',
      recipient_id: 9,
      sender_id: 2,
      sender_email: 'bo@example.com',
      sender_full_name: 'Bo',
      sender_realm_str: '',
      client: 'test',
      is_me_message: false,
      timestamp: 1,
      reactions: [],
      submessages: [],
      topic_links: [],
      content: '**raw**',
      rendered_content: '<p>done</p>',
      avatar_url: 'https://example.com/a',
      avatar_is_gravatar: true,
    },
    flags: [],
    ...fields,
  })
  const shape = (fields: Partial<QueueOpened['shape']>): QueueOpened['shape'] => ({
    apply_markdown: false,
    client_gravatar: false,
    slim_presence: false,
    ...fields,
    capabilities: { empty_topic_name: fields.apply_markdown === true } as never,
  })

  it('follow what each client asked for, and who reads', async () => {
    const raw = room.open({ user: 1, shape: shape({ client_gravatar: true }) })
    const html = room.open({ user: 1, shape: shape({ apply_markdown: true }) })
    const mentioned = room.open({ user: 3, shape: shape({}) })
    room.fixture.log.event(message(), { users: [1, 3], personal: { 3: { flags: ['mentioned'] } } })
    await room.fixture.apply(room.owner)
    const read = async (queue: TestQueue) =>
      (await room.poll(queue)).events[0] as never as ReturnType<typeof message>
    expect(await read(raw)).toMatchObject({
      flags: [],
      message: { content: '**raw**', avatar_url: null, subject: 'general chat' },
    })
    expect(await read(html)).toMatchObject({
      flags: [],
      message: { content: '<p>done</p>', avatar_url: 'https://example.com/a', subject: '' },
    })
    expect(await read(mentioned)).toMatchObject({ flags: ['mentioned'] })
    expect(Object.keys((await read(html)).message)).not.toContain('rendered_content')
  })

  it('say who is in a channel only to those who asked for it', async () => {
    const bare = { stream_id: 3, name: 'general', is_archived: false }
    const subscriptions = [{ ...bare, subscribers: [1, 2] }]
    const without = room.open({ user: 1, shape: shape({ include_subscribers: false }) })
    const others = [shape({ include_subscribers: true }), shape({})].map((one) =>
      room.open({ user: 1, shape: one }),
    )
    room.fixture.log.event({ type: 'subscription', op: 'add', subscriptions }, { users: [1] })
    await room.fixture.apply(room.owner)
    const [event] = (await room.poll(without)).events as unknown as [{ subscriptions: object[] }]
    expect(event.subscriptions).toEqual([bare])
    for (const queue of others) expect((await room.poll(queue)).events).toMatchObject([{ subscriptions }])
  })

  it("tell the client's own name for a message to the queue that it was sent from, and to no other", async () => {
    const sender = room.open({ user: 2 })
    const other = room.open({ user: 2 })
    const queueId = formatQueueId({ shard: room.fixture.shard, queue: sender.number, secret: sender.secret })
    room.fixture.log.event(message({ local_message_id: '17.5', sending_queue_id: queueId }), {
      users: [2],
      personal: { 2: { flags: ['read'] } },
    })
    await room.fixture.apply(room.owner)
    const own = (await room.poll(sender)).events[0]!
    expect(own).toMatchObject({ local_message_id: '17.5', flags: ['read'] })
    const others = (await room.poll(other)).events[0]!
    expect(others).toMatchObject({ flags: ['read'] })
    for (const event of [own, others]) expect(Object.keys(event)).not.toContain('sending_queue_id')
    expect(Object.keys(others)).not.toContain('local_message_id')
  })

  it('respect the narrow, message by message', async () => {
    const inGeneral = room.open({ user: 1, narrow: [['stream', 'General']] })
    const direct = room.open({ user: 1, narrow: [['is', 'dm']] })
    const mentions = room.open({ user: 1, narrow: [['is', 'mentioned']] })
    room.fixture.log.event(message(), { users: [1] })
    room.fixture.log.event(words('no message'), { users: [1] })
    room.fixture.log.event(message(), { users: [1], personal: { 1: { flags: ['mentioned'] } } })
    await room.fixture.apply(room.owner)
    const types = async (queue: TestQueue) => (await room.poll(queue)).events.map(({ type }) => type)
    expect(await types(inGeneral)).toEqual(['message', 'alert_words', 'message'])
    expect(await types(direct)).toEqual(['alert_words'])
    expect(await types(mentions)).toEqual(['alert_words', 'message'])
  })
})
