import type { KnownCaller } from '@parley/contracts'
import { userTopicEvent } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { updateMutedTopic } from './update-muted-topic.ts'
import { updateUserTopic } from './update-user-topic.ts'
import { mutedTopicsSection, userTopicSection } from './user-topic-sections.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let open: number
let closed: number

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  const make = async (name: string, invite_only: boolean) =>
    (await room.call(createChannel, anna, { name, invite_only, subscribers: [anna.user.id] })).id
  open = await make('open', false)
  closed = await make('closed', true)
  await room.announced()
})
afterAll(() => room.close())

const set = (topic: string, visibility_policy: number, stream_id = open, by = ben) =>
  room.call(updateUserTopic, by, { stream_id, topic, visibility_policy })
const mute = (op: 'add' | 'remove', topic: string, more: object = { stream: 'OPEN' }) =>
  room.call(updateMutedTopic, ben, { op, topic, ...more })
const state = (capabilities: object = { empty_topic_name: true }) =>
  room.deps.database.snapshot(async (sql, snapshot) => {
    const context = {
      caller: ben,
      options: { client_capabilities: capabilities } as never,
      sql,
      snapshot,
      deps: room.deps,
    }
    return { ...(await userTopicSection.read(context)), ...(await mutedTopicsSection.read(context)) }
  })

describe('what a user wants of a topic', () => {
  it('is kept, told to the user alone, and part of a registration', async () => {
    await set('Plans', 3)
    await set('PLANS', 3)
    await set('noise', 1)
    await set('', 2)
    const rows = await room.announced()
    expect(rows.map(({ value }) => [value.type, value.topic_name, value.visibility_policy])).toEqual([
      ['muted_topics', undefined, undefined],
      ['user_topic', 'Plans', 3],
      ['muted_topics', undefined, undefined],
      ['user_topic', 'noise', 1],
      ['muted_topics', undefined, undefined],
      ['user_topic', '', 2],
    ])
    for (const { audience } of rows) expect(audience.users).toEqual([ben.user.id])
    expect(rows[2]!.value.muted_topics).toEqual([['open', 'noise', expect.any(Number)]])
    const { user_topics, muted_topics } = await state()
    expect(user_topics.map((topic) => [topic.topic_name, topic.visibility_policy])).toEqual([
      ['', 2],
      ['noise', 1],
      ['Plans', 3],
    ])
    expect(muted_topics).toEqual([['open', 'noise', expect.any(Number)]])
    expect((await state({})).user_topics[0]!.topic_name).toBe('general chat')
    const [shown] = userTopicEvent.shape!(rows[5]!.value, { capabilities: {} } as never)
    expect(shown!.topic_name).toBe('general chat')
  })

  it('ends with 0, or by the legacy way, which changes nothing but mutes', async () => {
    await mute('add', 'chatter')
    await mute('add', 'chatter', { stream_id: open })
    await mute('remove', 'Chatter')
    await mute('remove', 'chatter')
    await mute('remove', 'plans')
    const rows = (await room.announced()).filter(({ value }) => value.type === 'user_topic')
    expect(rows.map(({ value }) => value.visibility_policy)).toEqual([1, 0])
    await set('plans', 0)
    await set('plans', 0)
    expect(await room.announced()).toHaveLength(2)
    expect((await state()).user_topics.map((topic) => topic.topic_name)).toEqual(['', 'noise'])
  })

  it.each([
    ['told', ['first', 'second'], (topic: string) => set(topic, 1)],
    ['told by the legacy way', ['third', 'fourth'], (topic: string) => mute('add', topic)],
  ])('is %s with all that is muted, however many change at once', async (_, topics, change) => {
    // Both meet this when they have read what they tell.
    const outbox = await room.hold((sql) => sql`LOCK TABLE outbox IN SHARE MODE`)
    const changing = Promise.all(topics.map(change))
    await room.heldUp(2)
    await outbox.letGo()
    await changing
    const told = (await room.announced()).filter(({ value }) => value.type === 'muted_topics')
    expect(told).toHaveLength(2)
    expect(told.at(-1)!.value.muted_topics).toEqual((await state()).muted_topics)
    for (const topic of topics) await set(topic, 0)
    await room.announced()
  })

  it('is refused where the user reads nothing, and for topics that cannot be', async () => {
    const refused = { message: 'Invalid channel ID' }
    await expect(set('x', 1, closed)).rejects.toMatchObject(refused)
    await expect(set('x', 1, 999_999)).rejects.toMatchObject(refused)
    await expect(mute('add', 'x', { stream: 'closed' })).rejects.toMatchObject(refused)
    await expect(mute('add', 'x', { stream: 'unheard of' })).rejects.toMatchObject(refused)
    await expect(mute('add', 'x', {})).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(mute('add', 'x', { stream: 'open', stream_id: open })).rejects.toMatchObject({
      error: 'INCOMPATIBLE_PARAMETERS',
    })
    await expect(set('x'.repeat(61), 1)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(set('x', 4)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  })
})
