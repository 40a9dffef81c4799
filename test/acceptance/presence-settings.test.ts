import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { expect, it } from 'vitest'

const ping = (user: TestUser, parameters: object = {}) =>
  succeeded(user.post('/users/me/presence', { status: 'active', slim_presence: true, ...parameters }))
const seenBy = async (viewer: TestUser): Promise<number[]> =>
  Object.keys((await ping(viewer)).presences).map(Number)

it('whoever turns presence off in their settings has just left for the others, until they turn it on', async () => {
  const world = await World.create()
  const [shy, other] = [await world.user(), await world.user()]
  await ping(shy)
  const idleFor = async () => Date.now() / 1000 - (await ping(other)).presences[shy.id].idle_timestamp
  expect(await idleFor()).toBeLessThan(60)
  await succeeded(shy.patch('/settings', { presence_enabled: false }))
  await eventually(async () => expect(await idleFor()).toBeGreaterThan(200))
  await ping(shy)
  await succeeded(shy.post('/users/me/status', { away: false }))
  expect(await idleFor()).toBeGreaterThan(200)
  await succeeded(shy.patch('/settings', { presence_enabled: true }))
  await eventually(async () => expect(await idleFor()).toBeLessThan(60))
})

it('an organization that disables presence keeps and shows nobody', async () => {
  const world = await World.create()
  const [owner, other] = [await world.user({ role: 'owner' }), await world.user()]
  await ping(other)
  await succeeded(owner.patch('/realm', { presence_disabled: true }))
  await eventually(async () => expect(await seenBy(owner)).toEqual([]))
  expect((await succeeded(owner.get('/realm/presence'))).presences).toEqual({})
  const { presence } = await succeeded(owner.get(`/users/${other.id}/presence`))
  expect(Object.keys(presence)).toEqual(['aggregated', 'website'])
  expect(presence.website).toMatchObject({ status: 'idle', timestamp: 0 })
  expect(await ping(other, { ping_only: true })).toMatchObject({ presence_last_update_id: -1 })
  const { state } = await EventReader.register(owner, { fetch_event_types: ['presence'] })
  expect(state).toMatchObject({ presences: {}, presence_last_update_id: -1 })
})

it('typing is told by and to those only who want it', async () => {
  const world = await World.create()
  const [ada, ben, cara] = [await world.user(), await world.user(), await world.user()]
  await succeeded(
    ada.post('/users/me/subscriptions', {
      subscriptions: [{ name: 'talk' }],
      principals: [ada.id, ben.id, cara.id],
    }),
  )
  const { subscriptions } = await succeeded(ada.get('/users/me/subscriptions'))
  const { stream_id } = subscriptions[0]
  const { id } = await succeeded(
    ben.post('/messages', { type: 'direct', to: [ada.id, cara.id], content: 'x' }),
  )
  const channelMessage = { type: 'channel', to: stream_id, topic: 't', content: 'x' }
  const { id: inChannel } = await succeeded(ben.post('/messages', channelMessage))
  await succeeded(ada.patch('/settings', { receives_typing_notifications: false }))
  await succeeded(
    ben.patch('/settings', {
      send_private_typing_notifications: false,
      send_stream_typing_notifications: false,
    }),
  )
  const refusals: [path: string, parameters: object, kind: string][] = [
    ['/typing', { op: 'start', to: [cara.id] }, 'direct'],
    ['/typing', { op: 'start', type: 'channel', stream_id, topic: 't' }, 'channel'],
    [`/messages/${id}/typing`, { op: 'start' }, 'direct'],
    [`/messages/${inChannel}/typing`, { op: 'start' }, 'channel'],
  ]
  for (const [path, parameters, kind] of refusals) {
    await eventually(async () =>
      expect((await ben.post(path, { ...parameters })).body).toMatchObject({
        code: 'BAD_REQUEST',
        msg: `User has disabled typing notifications for ${kind} messages`,
      }),
    )
  }
  const wishes = {
    event_types: ['typing', 'message'],
    client_capabilities: { stream_typing_notifications: true },
  }
  const [deaf, hearing] = [await EventReader.register(ada, wishes), await EventReader.register(cara, wishes)]
  await succeeded(cara.post('/typing', { op: 'start', to: [ada.id] }))
  await succeeded(cara.post('/typing', { op: 'start', type: 'channel', stream_id, topic: 't' }))
  await hearing.waitFor((event) => event.type === 'typing' && event.message_type === 'direct')
  await hearing.waitFor((event) => event.type === 'typing' && event.message_type === 'stream')
  await succeeded(cara.post('/messages', { type: 'direct', to: [ada.id], content: 'end' }))
  const heard = await deaf.until((event) => event.type === 'message')
  expect(heard.map((event) => event.type)).toEqual(['message'])
})

it('guests of an organization that limits them see the presence of those only with whom they talk, and of bots', async () => {
  const world = await World.create()
  const owner = await world.user({ role: 'owner' })
  const [friend, pen, stranger] = [await world.user(), await world.user(), await world.user()]
  const guest = await world.user({ role: 'guest' })
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: 'yard' }],
      principals: [friend.id, guest.id],
    }),
  )
  await succeeded(guest.post('/messages', { type: 'direct', to: [pen.id], content: 'hello' }))
  for (const user of [friend, pen, stranger]) await ping(user)
  expect((await seenBy(guest)).toSorted()).toEqual(
    [friend, pen, stranger, guest].map(({ id }) => id).toSorted(),
  )
  const { state } = await EventReader.register(owner, { fetch_event_types: ['realm_user_groups'] })
  const members = state.realm_user_groups.find(({ name }: { name: string }) => name === 'role:members').id
  await succeeded(owner.patch('/realm', { can_access_all_users_group: { new: members } }))

  const known = [friend, pen, guest].map(({ id }) => id).toSorted()
  await eventually(async () => expect((await seenBy(guest)).toSorted()).toEqual(known))
  const list = await succeeded(guest.get('/realm/presence'))
  expect(Object.keys(list.presences).toSorted()).toEqual(
    [friend, pen, guest].map(({ email }) => email).toSorted(),
  )
  const registered = await EventReader.register(guest, {
    fetch_event_types: ['presence'],
    slim_presence: true,
  })
  expect(Object.keys(registered.state.presences).map(Number).toSorted()).toEqual(known)
  await succeeded(guest.get(`/users/${friend.id}/presence`))
  const hidden = (await guest.get(`/users/${stranger.id}/presence`)).body
  expect(hidden).toEqual((await guest.get('/users/999999999/presence')).body)
  const all = [friend, pen, stranger, guest, owner].map(({ id }) => id).toSorted()
  expect((await seenBy(owner)).toSorted()).toEqual(all)
  for (const user of [stranger, friend, pen])
    await succeeded(user.post('/users/me/status', { status_text: 'x' }))
  const statuses = (await EventReader.register(guest, { event_types: ['user_status'] })).state.user_status
  expect(Object.keys(statuses).map(Number).toSorted()).toEqual([friend, pen].map(({ id }) => id).toSorted())
  await succeeded(guest.get(`/users/${friend.id}/status`))
  const hiddenStatus = (await guest.get(`/users/${stranger.id}/status`)).body
  expect(hiddenStatus).toEqual((await guest.get('/users/999999999/status')).body)
  const readers = await Promise.all(
    [guest, owner].map((user) => EventReader.register(user, { event_types: ['user_status'] })),
  )
  for (const user of [stranger, friend]) await succeeded(user.post('/users/me/status', { status_text: 'y' }))
  const told = await Promise.all(
    readers.map((reader) => reader.until(({ user_id }) => user_id === friend.id)),
  )
  expect(told.map((events) => events.map(({ user_id }) => user_id))).toEqual([
    [friend.id],
    [stranger.id, friend.id],
  ])
})
