import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let anna: TestUser
let ben: TestUser
let guest: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  anna = await world.user()
  ben = await world.user()
  guest = await world.user({ role: 'guest' })
})

const create = async (by: TestUser, name: string, subscribers: TestUser[], more: object = {}) =>
  (
    await succeeded(
      by.post('/channels/create', { name, subscribers: subscribers.map(({ id }) => id), ...more }),
    )
  ).id
const types = { event_types: ['stream', 'subscription', 'channel_folder', 'user_topic'] }

describe('unsubscribing', () => {
  it('is told to all concerned, and takes the sight of a private channel', async () => {
    const id = await create(anna, 'closed', [anna, ben], { invite_only: true })
    const leaving = await EventReader.register(ben, types)
    const staying = await EventReader.register(anna, types)
    const reply = await succeeded(ben.delete('/users/me/subscriptions', { subscriptions: ['Closed'] }))
    expect(reply).toMatchObject({ removed: ['closed'], not_removed: [] })
    const own = await leaving.until((event) => event.op === 'delete')
    expect(own.map(({ type, op }) => `${type} ${op}`)).toEqual(['subscription remove', 'stream delete'])
    expect(await staying.waitFor((event) => event.op === 'peer_remove')).toMatchObject({
      stream_ids: [id],
      user_ids: [ben.id],
    })
    const again = await ben.delete('/users/me/subscriptions', { subscriptions: ['closed'] })
    expect(again.status).toBe(400)
    expect(again.body).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: 'closed' })
  })
})

describe('a channel', () => {
  it('is made, changed in a folder, archived and brought back', async () => {
    const refused = await anna.post('/channel_folders/create', { name: 'Folder', description: '' })
    expect(refused.body).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' })
    const watching = await EventReader.register(ben, {
      ...types,
      client_capabilities: { archived_channels: true },
    })
    const legacy = await EventReader.register(ben, types)
    const wish = { name: 'Folder', description: '' }
    const { channel_folder_id } = await succeeded(owner.post('/channel_folders/create', wish))
    const id = await create(anna, 'inside', [anna, ben], { folder_id: channel_folder_id })
    await succeeded(
      anna.patch(`/streams/${id}`, {
        description: 'Hello',
        can_send_message_group: { new: { direct_members: [anna.id], direct_subgroups: [] } },
      }),
    )
    expect((await ben.post('/messages', { type: 'stream', to: id, topic: 't', content: 'x' })).status).toBe(
      400,
    )
    await succeeded(anna.post('/messages', { type: 'stream', to: id, topic: 't', content: 'x' }))
    const { topics } = await succeeded(ben.get(`/users/me/${id}/topics`))
    // What was changed is said in a topic of its own.
    expect(topics).toContainEqual({ max_id: expect.any(Number), name: 't' })
    await succeeded(ben.post('/user_topics', { stream_id: id, topic: 't', visibility_policy: 3 }))
    await succeeded(anna.delete(`/streams/${id}`))
    await succeeded(anna.patch(`/streams/${id}`, { is_archived: false }))
    const seen = await watching.until((event) => event.property === 'is_archived' && event.value === false)
    expect(seen.map(({ type, op, property }) => property ?? `${type} ${op ?? ''}`.trim())).toEqual([
      'channel_folder add',
      'stream create',
      'subscription add',
      'description',
      'can_send_message_group',
      'user_topic',
      'is_archived',
      'is_archived',
    ])
    const old = await legacy.until(
      (event) => event.op === 'add' && event.type === 'subscription' && seen.length > 0,
    )
    expect(old.length).toBeGreaterThan(0)
    const { stream } = await succeeded(ben.get(`/streams/${id}`))
    expect(stream).toMatchObject({ folder_id: channel_folder_id, is_archived: false, subscriber_count: 2 })
    expect((await guest.get(`/streams/${id}`)).body.msg).toBe('Invalid channel ID')
    expect((await succeeded(ben.get('/get_stream_id', { stream: 'INSIDE' }))).stream_id).toBe(id)
  })

  it('is part of the state of a registration', async () => {
    const id = await create(owner, 'default', [owner], { is_default_stream: true })
    const { state } = await EventReader.register(ben)
    expect(state.realm_default_streams).toEqual([id])
    expect(state.streams.map((stream: { stream_id: number }) => stream.stream_id)).toContain(id)
    expect(state.channel_folders).toMatchObject([{ name: 'Folder', order: 0 }])
    for (const name of ['user_topics', 'muted_topics', 'realm_default_stream_groups']) {
      expect(state[name], name).toBeInstanceOf(Array)
    }
  })
})
