import { PersonalFact, personalTopic, usersTopic } from '@parley/contracts/identity/topics'
import { allUserSettings, userSettingNames, userSettings } from '@parley/contracts/identity/user-settings'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { createUserGroup } from '../groups/create-user-group.ts'
import { fetchApiKey } from '../log-in/fetch-api-key.ts'
import { updateRealm } from '../realms/update-realm.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addUser } from '../users/add-user.ts'
import { createUser } from '../users/create-user.ts'
import { getUser } from '../users/get-user.ts'
import { grantUserPermission } from '../users/grant-user-permission.ts'
import { updateUser } from '../users/update-user.ts'
import {
  displaySettingsSection,
  notificationSettingsSection,
  realmUserSettingsDefaultsSection,
  userSettingsSection,
} from './settings-sections.ts'
import { updateNotificationSettings } from './update-notification-settings.ts'
import { updateSettings } from './update-settings.ts'
import { updateUserSettingsDefaults } from './update-user-settings-defaults.ts'

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  organization = await openTestOrganization(room)
  people = organization.people
})

const told = async () => {
  const all = await room.announced()
  return {
    facts: all
      .filter(({ topic }) => topic === personalTopic.name)
      .map(({ value }) => PersonalFact.parse(value)),
    events: all
      .filter(({ topic }) => topic === 'client-events')
      .map(({ audience, value }) => [audience.everyone ?? audience.users, value]),
  }
}

const read = (
  handler: { read: (context: never) => Promise<unknown> },
  caller: TestOrganization['people']['member'],
) =>
  // biome-ignore lint/suspicious/noExplicitAny: sections of every shape.
  handler.read({ caller, options: {}, sql: room.deps.database.sql, deps: room.deps } as never) as Promise<any>

describe('the settings of a person', () => {
  it('all have a default that they themselves allow, and are all in the state', async () => {
    for (const name of userSettingNames) {
      const { value, standard } = userSettings[name]
      expect((value as z.ZodType).parse(standard)).toEqual(standard)
    }
    const { user_settings } = await read(userSettingsSection, people.member)
    expect(user_settings).toMatchObject(allUserSettings({}))
    expect(user_settings.available_notification_sounds).toContain(user_settings.notification_sound)
    expect(userSettingsSection.section.fields.user_settings.parse(user_settings)).toBeTruthy()
  })

  it('change one by one, are told to nobody else, and go back to the default', async () => {
    const { member } = people
    const self = [member.user.id]
    await room.call(updateSettings, member, {
      twenty_four_hour_time: 'true',
      default_language: '"de"',
      color_scheme: '1',
      web_home_view: 'recent',
    })
    const first = await told()
    expect(first.events).toEqual([
      [
        self,
        {
          type: 'user_settings',
          op: 'update',
          property: 'default_language',
          value: 'de',
          language_name: 'German',
        },
      ],
      [self, { type: 'user_settings', op: 'update', property: 'web_home_view', value: 'recent' }],
      [self, { type: 'user_settings', op: 'update', property: 'twenty_four_hour_time', value: true }],
    ])
    const settings = { default_language: 'de', web_home_view: 'recent', twenty_four_hour_time: true }
    expect(first.facts).toMatchObject([{ id: member.user.id, settings }])
    expect((await read(userSettingsSection, member)).user_settings).toMatchObject(settings)
    expect((await read(userSettingsSection, people.guest)).user_settings.web_home_view).toBe('inbox')

    await room.call(updateNotificationSettings, member, {
      twenty_four_hour_time: 'null',
      default_language: 'en',
    })
    expect((await told()).facts.map((fact) => fact.settings)).toEqual([{ web_home_view: 'recent' }])
    await room.call(updateSettings, member, {})
    await room.call(updateSettings, member, { web_home_view: 'recent' })
    expect(await told()).toEqual({ facts: [], events: [] })
  })

  const invalid = [
    { web_home_view: 'feed' },
    { color_scheme: '4' },
    { default_language: 'tlhingan' },
    { timezone: 'Mars/Olympus' },
    { timezone: '+02:00' },
    { email_notifications_batching_period_seconds: '0' },
    { email_address_visibility: '6' },
    { enter_sends: 'perhaps' },
    { full_name: '  ' },
    { new_password: 'long enough', old_password: 'wrong' },
    { notification_sound: 'gong' },
  ]

  it('do not take what is none of their values', async () => {
    for (const sent of invalid as unknown as Record<string, string>[]) {
      const attempt = room.call(updateSettings, people.owner, sent)
      await expect(attempt, JSON.stringify(sent)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    expect(await told()).toEqual({ facts: [], events: [] })
  })

  it('serve clients that ask by the older names', async () => {
    const display = await read(displaySettingsSection, people.member)
    expect(display).toMatchObject({ twenty_four_hour_time: false, default_language: 'en' })
    const notifications = await read(notificationSettingsSection, people.member)
    expect(notifications).toMatchObject({ pm_content_in_desktop_notifications: true })
    expect({ ...display, ...notifications }).not.toHaveProperty('email_address_visibility')
  })
})

describe('what an account says of itself', () => {
  it('changes for everyone: name and time zone', async () => {
    const { member } = people
    const user_id = member.user.id
    await room.call(updateSettings, member, { full_name: ' Iago ', timezone: 'Europe/Berlin' })
    const email = 'member@b.example'
    expect((await told()).events).toEqual([
      [true, { type: 'realm_user', op: 'update', person: { user_id, full_name: 'Iago' } }],
      [true, { type: 'realm_user', op: 'update', person: { user_id, email, timezone: 'Europe/Berlin' } }],
      [[user_id], { type: 'user_settings', op: 'update', property: 'timezone', value: 'Europe/Berlin' }],
    ])
    expect((await read(userSettingsSection, member)).user_settings.timezone).toBe('Europe/Berlin')
  })

  it('keeps its name where the organization says so, but for administrators', async () => {
    await room.call(updateRealm, people.owner, {
      name_changes_disabled: 'true',
      require_unique_names: 'true',
    })
    await expect(room.call(updateSettings, people.member, { full_name: 'Other' })).rejects.toMatchObject({
      message: 'Name changes are disabled in this organization.',
    })
    await room.call(updateSettings, people.administrator, { full_name: 'Other' })
    await expect(room.call(updateSettings, people.owner, { full_name: 'OTHER' })).rejects.toMatchObject({
      message: 'Unique names required in this organization.',
    })
    const { administrator, member } = people
    const path = { user_id: String(member.user.id) }
    await room.ask(grantUserPermission, {
      ...{ realm: organization.realm.subdomain, email: 'administrator@b.example' },
      ...{ permission: 'can_create_users', is_granted: true },
    })
    const newcomer = { email: 'new@b.example', password: 'long enough', full_name: 'other' }
    for (const attempt of [
      () => room.call(updateUser, administrator, { full_name: 'other' }, path),
      () => room.call(addUser, administrator, newcomer),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        message: 'Unique names required in this organization.',
      })
    }
    await room.call(addUser, administrator, { ...newcomer, full_name: 'Another' })
  })

  it('hides its address, and shows it again, each told to those concerned', async () => {
    const { member, guest, administrator } = people
    const user_id = member.user.id
    await room.call(updateSettings, member, { email_address_visibility: '3' })
    const { events, facts } = await told()
    const persons = events.flatMap(([to, { person }]) => (person === undefined ? [] : [[to, person]]))
    const dummy = `user${user_id}@${member.realm.subdomain}.chat.example`
    expect(persons).toContainEqual([true, { user_id, new_email: dummy }])
    const [losers] = persons.find(([, { delivery_email }]) => delivery_email === null)!
    expect(losers).toEqual(expect.arrayContaining([guest.user.id]))
    expect(losers).not.toContain(administrator.user.id)
    expect(losers).not.toContain(user_id)
    expect(facts).toMatchObject([{ settings: { email_address_visibility: 3 } }])
    const seenBy = async (caller: typeof guest) =>
      (await room.call(getUser, caller, {}, { user_id: String(user_id) })).user.delivery_email
    expect(await seenBy(guest)).toBeNull()
    expect(await seenBy(administrator)).toBe('member@b.example')

    await room.call(updateSettings, member, { email_address_visibility: '1' })
    const shown = (await told()).events.map(([, { person }]) => person)
    expect(shown).toContainEqual({ user_id, new_email: 'member@b.example' })
    expect(shown).toContainEqual({ user_id, delivery_email: 'member@b.example' })
  })

  it('changes its password for who knows the old one', async () => {
    const wishes = { realm: organization.realm.subdomain, email: 'p@b.example', full_name: 'P', role: 400 }
    const made = await room.ask(createUser, { ...wishes, password: 'the old one' } as never)
    const caller = { ...people.member, user: { ...people.member.user, id: made.user_id } }
    const logIn = (password: string) =>
      room.call(fetchApiKey, { ...caller, user: null }, { username: 'p@b.example', password })
    for (const sent of [
      { new_password: 'the new one' },
      { new_password: 'the new one', old_password: 'guess' },
      { new_password: 'short', old_password: 'the old one' },
    ]) {
      await expect(room.call(updateSettings, caller, sent as Record<string, string>)).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
    await room.call(updateSettings, caller, { new_password: 'the new one', old_password: 'the old one' })
    expect(await logIn('the new one')).toMatchObject({ user_id: made.user_id })
    await expect(logIn('the old one')).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
  })

  it('ends the sessions of other browsers by a new password, of all where it comes by API key', async () => {
    const wishes = { realm: organization.realm.subdomain, email: 's@b.example', full_name: 'S', role: 400 }
    const made = await room.ask(createUser, { ...wishes, password: 'password 1 of it' } as never)
    const caller = { ...people.member, user: { ...people.member.user, id: made.user_id } }
    const fact = async () =>
      (await room.announced()).find(
        ({ topic, value }) => topic === usersTopic.name && value.id === made.user_id,
      )?.value
    expect(await fact()).not.toHaveProperty('sessions_since')
    const before = Date.now() / 1000
    const change = (from: number) => ({
      old_password: `password ${from} of it`,
      new_password: `password ${from + 1} of it`,
    })
    await room.call(updateSettings, { ...caller, session: 'this one' }, change(1))
    const first = await fact()
    expect(first).toMatchObject({ spared_session: 'this one' })
    expect(first.sessions_since).toBeGreaterThanOrEqual(before)
    await room.call(updateSettings, caller, { full_name: 'Somebody' })
    expect(await fact()).toMatchObject({ sessions_since: first.sessions_since, spared_session: 'this one' })
    await room.call(updateSettings, caller, change(2))
    const second = await fact()
    expect(second).not.toHaveProperty('spared_session')
    expect(second.sessions_since).toBeGreaterThan(first.sessions_since)
  })
})

describe('settings for others', () => {
  const target = (wishes: object) => ({ target_users: JSON.stringify(wishes) })

  it('are changed by administrators for people and groups, leaving alone who chose', async () => {
    const { member, guest, administrator, moderator } = people
    await room.call(updateSettings, moderator, { color_scheme: '3' })
    await room.call(updateSettings, moderator, { color_scheme: '1' })
    const { group_id } = await room.call(createUserGroup, administrator, {
      name: 'some',
      description: '',
      members: JSON.stringify([moderator.user.id, guest.user.id]),
    })
    await told()
    const both = { user_ids: [member.user.id], group_ids: [group_id], skip_if_already_edited: true }
    await room.call(updateSettings, administrator, { color_scheme: '2', ...target(both) })
    const { events, facts } = await told()
    expect(events.map(([users, { value }]) => [users, value])).toEqual(
      [member.user.id, guest.user.id].sort((a, b) => a - b).map((id) => [[id], 2]),
    )
    expect(facts.map(({ settings }) => settings)).toEqual([{ color_scheme: 2 }, { color_scheme: 2 }])
    await room.call(updateSettings, administrator, {
      color_scheme: '2',
      ...target({ ...both, skip_if_already_edited: false }),
    })
    expect((await told()).events.map(([users]) => users)).toEqual([[moderator.user.id]])
  })

  it('are not for members, strangers, or what is a person’s own', async () => {
    const { member, administrator } = people
    const stranger = (await openTestOrganization(room)).people.member
    const forMember = target({ user_ids: [member.user.id] })
    await expect(
      room.call(updateSettings, people.moderator, { color_scheme: '2', ...forMember }),
    ).rejects.toMatchObject({ error: 'UNAUTHORIZED_PRINCIPAL' })
    for (const sent of [
      { color_scheme: '2', ...target({ user_ids: [stranger.user.id] }) },
      { color_scheme: '2', ...target({}) },
      { color_scheme: '2', ...target({ group_ids: [999_999] }) },
      { presence_enabled: 'false', ...forMember },
      { email_address_visibility: '1', ...forMember },
      { full_name: 'Other', ...forMember },
    ]) {
      await expect(
        room.call(updateSettings, administrator, sent as unknown as Record<string, string>),
      ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    expect(await told()).toEqual({ facts: [], events: [] })
  })

  it('start as the organization has them', async () => {
    await room.call(updateUserSettingsDefaults, people.administrator, {
      enter_sends: 'true',
      email_address_visibility: '3',
      color_scheme: '1',
    })
    expect(
      (await told()).events.map(([to, { type, property, value }]) => [to, type, property, value]),
    ).toEqual([
      [true, 'realm_user_settings_defaults', 'enter_sends', true],
      [true, 'realm_user_settings_defaults', 'email_address_visibility', 3],
    ])
    const defaults = await read(realmUserSettingsDefaultsSection, people.guest)
    expect(defaults.realm_user_settings_defaults).toMatchObject({ enter_sends: true })
    expect(defaults.realm_user_settings_defaults).not.toHaveProperty('timezone')
    await room.call(updateRealm, people.administrator, { default_language: 'fr' })
    const comer = await organization.person('comer')
    expect((await told()).facts).toMatchObject([
      {
        id: comer.user.id,
        settings: { enter_sends: true, email_address_visibility: 3, default_language: 'fr' },
      },
    ])
    expect((await read(userSettingsSection, people.member)).user_settings.enter_sends).toBe(false)
    await expect(
      room.call(updateUserSettingsDefaults, people.moderator, { enter_sends: 'true' }),
    ).rejects.toMatchObject({ error: 'UNAUTHORIZED_PRINCIPAL' })
  })
})
