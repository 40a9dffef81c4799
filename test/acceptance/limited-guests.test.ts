import { EventReader, eventually, type ReceivedEvent, succeeded, type TestUser, World } from '@parley/testkit'
import { expect, it } from 'vitest'

it('lets limited guests know their company and nobody else, as it comes and goes', async () => {
  const world = await World.create()
  const owner = await world.user({ role: 'owner', name: 'Olga' })
  const [ben, cleo] = [await world.user({ name: 'Ben' }), await world.user({ name: 'Cleo' })]
  const guest = await world.user({ role: 'guest', name: 'Gus' })
  const subscribe = (name: string, ...people: TestUser[]) =>
    succeeded(
      owner.post('/users/me/subscriptions', {
        subscriptions: [{ name }],
        principals: people.map(({ id }) => id),
      }),
    )
  await subscribe('desk', ben, guest)
  await subscribe('hall', owner, cleo)
  const { state } = await EventReader.register(owner, { fetch_event_types: ['realm_user_groups'] })
  const idOf = (name: string): number =>
    (state.realm_user_groups as { id: number; name: string }[]).find((group) => group.name === name)!.id
  const names = async (reader: TestUser): Promise<string[]> =>
    (await succeeded(reader.get('/users'))).members.map(({ full_name }: { full_name: string }) => full_name)

  const events = await EventReader.register(guest, {
    event_types: ['realm_user', 'message', 'user_status'],
    client_capabilities: { user_list_incomplete: true },
  })
  let last = 0
  const next = async (fits: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent> => {
    const found = await events.waitFor((event) => event.id > last && fits(event))
    last = found.id
    return found
  }
  const told = (op: 'add' | 'remove', who: TestUser) =>
    next((event) => event.op === op && event.person.user_id === who.id)
  await succeeded(owner.patch('/realm', { can_access_all_users_group: { new: idOf('role:members') } }))
  await told('remove', cleo)
  expect(await names(guest)).toEqual(['Ben', 'Gus'])
  expect(await names(ben)).toHaveLength(4)
  expect((await guest.get(`/users/${cleo.id}`)).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'No such user',
  })
  const refusal = (to: TestUser) => ({ code: 'BAD_REQUEST', msg: `Invalid user ID ${to.id}` })
  const write = (to: TestUser) => guest.post('/messages', { type: 'direct', to: [to.id], content: 'Hello?' })
  // Until channels knows of the limit one may still get through, and make an acquaintance.
  await eventually(async () => {
    const dora = await world.user({ name: 'Dora' })
    expect((await write(dora)).body).toMatchObject(refusal(dora))
  })
  expect((await write(cleo)).body).toMatchObject(refusal(cleo))

  expect((await guest.get(`/users/${cleo.id}/status`)).body.msg).toBe('No such user')
  await succeeded(cleo.post('/users/me/status', { status_text: 'away from the desk' }))

  // Cleo is not in the channel: her message is there, she is not.
  await succeeded(cleo.post('/messages', { type: 'stream', to: 'desk', topic: 't', content: 'psst' }))
  const sent = await next(({ message }) => message?.sender_id === cleo.id)
  const unknown = { sender_full_name: 'Unknown user', sender_id: cleo.id }
  expect(sent.message).toMatchObject(unknown)
  expect(JSON.stringify(sent)).not.toContain(cleo.email)
  expect(events.received.filter(({ type }) => type === 'user_status')).toEqual([])
  const page = { anchor: 'newest', num_before: 1, num_after: 0 }
  const { messages } = await succeeded(guest.get('/messages', page))
  expect(messages[0]).toMatchObject(unknown)
  expect((await succeeded(ben.get('/messages', page))).messages[0].sender_full_name).toBe('Cleo')

  await succeeded(cleo.patch('/settings', { full_name: 'Cleopatra' }))
  await subscribe('desk', cleo)
  const { person } = await told('add', cleo)
  expect(person).toMatchObject({ full_name: 'Cleopatra', role: 400 })
  const updates = events.received.filter(({ op }) => op === 'update')
  expect(updates.filter((event) => event.person?.user_id === cleo.id)).toEqual([])
  expect(await names(guest)).toEqual(expect.arrayContaining(['Ben', 'Cleopatra', 'Gus']))
  await succeeded(cleo.delete('/users/me/subscriptions', { subscriptions: ['desk'] }))
  await told('remove', cleo)

  await succeeded(cleo.post('/messages', { type: 'direct', to: [guest.id], content: 'It is me' }))
  await told('add', cleo)
  await succeeded(owner.patch('/realm', { can_access_all_users_group: { new: idOf('role:everyone') } }))
  await told('add', owner)
  expect(await names(guest)).toEqual(await names(ben))
})
