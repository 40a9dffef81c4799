import { Client, eventually, succeeded, World } from '@parley/testkit'
import { expect, it } from 'vitest'

const secrets = [
  'hidden channel',
  'inner channel',
  'draft of mine',
  'Secret Street',
  'a status of mine',
] as const

it('shows the whole state to who has no account, and nothing in it that is anybody`s own', async () => {
  const world = await World.create()
  const owner = await world.user({ role: 'owner', name: 'Olga Owner' })
  const stranger = new Client(world.stack.origin, world.host)
  for (const answer of [await stranger.post('/register'), await stranger.get('/users')])
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
      headers: { 'www-authenticate': 'Basic realm="parley"' },
    })

  await succeeded(owner.patch('/realm', { enable_spectator_access: true }))
  const [hidden, inner] = secrets
  const shown = 'shop window'
  // Channels learns of the organization's setting a moment later.
  await eventually(async () => {
    const wish = { subscriptions: [{ name: shown }], is_web_public: true }
    await succeeded(owner.post('/users/me/subscriptions', wish))
  })
  await succeeded(
    owner.post('/users/me/subscriptions', { subscriptions: [{ name: hidden }], invite_only: true }),
  )
  await succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name: inner }] }))
  const draft = { type: '', to: [], topic: '', content: secrets[2], timestamp: 1e9 }
  await succeeded(owner.post('/drafts', { drafts: [draft] }))
  const { id } = await succeeded(owner.post('/realm/profile_fields', { name: 'Address', field_type: 1 }))
  await succeeded(owner.patch('/users/me/profile_data', { data: [{ id, value: secrets[3] }] }))
  await succeeded(owner.post('/users/me/status', { status_text: secrets[4] }))
  await succeeded(owner.patch('/settings', { timezone: 'Asia/Tokyo', email_address_visibility: 5 }))

  for (const name of ['include_subscribers', 'client_gravatar'])
    expect(await stranger.post('/register', { [name]: true })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: `Invalid '${name}' parameter for anonymous request` },
    })
  const state = await succeeded(stranger.post('/register'))
  const own = await succeeded(owner.post('/register'))
  expect(Object.keys(state).toSorted()).toEqual(Object.keys(own).toSorted())
  expect(state).toMatchObject({
    queue_id: null,
    last_event_id: -1,
    user_id: 0,
    is_guest: true,
    is_admin: false,
    can_create_public_streams: false,
    realm_enable_spectator_access: true,
    max_message_id: -1,
    unsubscribed: [],
    never_subscribed: [],
    presences: {},
    user_status: {},
  })
  expect(state.subscriptions).toMatchObject([{ name: shown, is_web_public: true }])
  expect(state.subscriptions[0]).not.toHaveProperty('subscribers')
  expect(state.streams).toMatchObject([{ name: shown }])
  const olga = state.realm_users.find((user: { user_id: number }) => user.user_id === owner.id)
  expect(olga).toMatchObject({ full_name: 'Olga Owner', delivery_email: null, timezone: '' })
  expect(olga.date_joined).toMatch(/^\d{4}-\d\d-\d\d$/)
  const listed = await succeeded(stranger.get('/users', { include_custom_profile_fields: true, own: 1 }))
  expect(listed.members.find((user: { user_id: number }) => user.user_id === owner.id)).toMatchObject({
    full_name: 'Olga Owner',
    delivery_email: null,
    profile_data: {},
  })
  expect(listed.ignored_parameters_unsupported).toEqual(['own'])
  const text = JSON.stringify([state, listed])
  for (const secret of [...secrets, 'Asia/Tokyo', owner.email]) expect(text).not.toContain(secret)

  const some = await succeeded(stranger.post('/register', { fetch_event_types: ['realm_emoji', 'stream'] }))
  expect(some).toHaveProperty('realm_emoji')
  expect(some).not.toHaveProperty('realm_users')

  // Where guests do not see everybody, who is less than a guest sees nobody.
  const groups: { id: number; name: string }[] = own.realm_user_groups
  const members = groups.find(({ name }) => name === 'role:members')!.id
  await succeeded(owner.patch('/realm', { can_access_all_users_group: { new: members } }))
  const restricted = await succeeded(stranger.post('/register'))
  expect([restricted.realm_users, restricted.realm_non_active_users]).toEqual([[], []])
  expect((await succeeded(stranger.get('/users'))).members).toEqual([])
  // Events are for accounts.
  for (const answer of [
    stranger.get('/events', { dont_block: true }),
    stranger.delete('/events', { queue_id: 'x' }),
  ])
    expect((await answer).body).toMatchObject({ code: 'UNAUTHORIZED' })
})
