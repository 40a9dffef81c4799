import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let admin: TestUser
let anna: TestUser
let ben: TestUser

beforeAll(async () => {
  world = await World.create()
  admin = await world.user({ role: 'administrator' })
  anna = await world.user()
  ben = await world.user()
})

describe('what a person chooses', () => {
  it('is told to its own clients, and is in the state of whoever registers afterwards', async () => {
    const reader = await EventReader.register(anna, {
      event_types: ['user_settings', 'alert_words', 'muted_users'],
    })
    expect(reader.state).toMatchObject({
      alert_words: [],
      muted_users: [],
      user_settings: { enter_sends: false },
    })
    await succeeded(anna.patch('/settings', { enter_sends: true, default_language: '"fr"', no_such: 1 }))
    await succeeded(anna.patch('/settings/display', { color_scheme: 2 }))
    await succeeded(anna.post('/users/me/alert_words', { alert_words: ['deploy'] }))
    await succeeded(anna.post(`/users/me/muted_users/${ben.id}`))
    const events = await reader.until(({ type }) => type === 'muted_users')
    expect(events).toMatchObject([
      { type: 'user_settings', property: 'enter_sends', value: true },
      { type: 'user_settings', property: 'default_language', value: 'fr', language_name: 'French' },
      { type: 'user_settings', property: 'color_scheme', value: 2 },
      { type: 'alert_words', alert_words: ['deploy'] },
      { type: 'muted_users', muted_users: [{ id: ben.id }] },
    ])
    const { state } = await EventReader.register(anna, {
      fetch_event_types: ['user_settings', 'alert_words', 'update_display_settings'],
    })
    expect(state).toMatchObject({
      alert_words: ['deploy'],
      user_settings: { enter_sends: true, default_language: 'fr', color_scheme: 2 },
      twenty_four_hour_time: false,
    })
    expect((await world.stranger().patch('/settings', { enter_sends: true })).status).toBe(401)
  })

  it('may be said in a profile, for all to see', async () => {
    const { id } = await succeeded(admin.post('/realm/profile_fields', { field_type: 1, name: 'Phone' }))
    const reader = await EventReader.register(ben, { event_types: ['realm_user', 'custom_profile_fields'] })
    await succeeded(anna.patch('/users/me/profile_data', { data: [{ id, value: '**12**' }] }))
    const [event] = await reader.until(({ type }) => type === 'realm_user')
    const said = { value: '**12**', rendered_value: '<p><strong>12</strong></p>' }
    expect(event!.person).toEqual({ user_id: anna.id, custom_profile_field: { id, ...said } })
    const { user } = await succeeded(ben.get(`/users/${anna.id}`, { include_custom_profile_fields: true }))
    expect(user.profile_data).toEqual({ [id]: said })
    expect((await ben.delete(`/realm/profile_fields/${id}`)).body.code).toBe('UNAUTHORIZED_PRINCIPAL')
  })
})

describe('what an organization sets up', () => {
  it('turns short forms into links, in every message from then on', async () => {
    const pattern = '#(?P<id>[0-9]+)'
    await succeeded(admin.post('/realm/filters', { pattern, url_template: 'https://bugs.example/{id}' }))
    const link = '<p>see <a href="https://bugs.example/12">#12</a></p>'
    await eventually(async () => {
      const { id } = await succeeded(
        anna.post('/messages', { type: 'direct', to: [ben.id], content: 'see #12' }),
      )
      const { message } = await succeeded(ben.get(`/messages/${id}`))
      expect(message.content).toBe(link)
    })
    const capable = { linkifier_url_template: true }
    const { state } = await EventReader.register(ben, {
      fetch_event_types: ['realm_linkifiers', 'realm_playgrounds', 'onboarding_steps', 'device'],
      client_capabilities: capable,
    })
    expect(state).toMatchObject({ realm_linkifiers: [{ pattern }], realm_playgrounds: [], devices: {} })
    expect(state.onboarding_steps.length).toBeGreaterThan(0)
  })
})
