import { roles } from '@parley/contracts'
import { realmSettingNames, realmSettings } from '@parley/contracts/identity/realm-settings'
import { realmSection as sectionContract } from '@parley/contracts/identity/sections'
import { RealmFact, realmsTopic, usersTopic } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBot } from '../bots/create-bot.ts'
import { createUserGroup } from '../groups/create-user-group.ts'
import { fetchApiKey } from '../log-in/fetch-api-key.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createUser } from '../users/create-user.ts'
import { realmSection } from './realm-section.ts'
import { realmById } from './realm-store.ts'
import { updateRealm } from './update-realm.ts'

let room: TestRoom
let people: TestOrganization['people']
let system: Record<string, number>
beforeAll(async () => {
  room = await openTestRoom({ isDevelopment: true })
})
afterAll(() => room.close())
beforeEach(async () => {
  const organization = await openTestOrganization(room)
  people = organization.people
  system = (await realmById(room.deps.database.sql, organization.realm.id))!.system_groups
})

const events = async () =>
  (await room.announced())
    .filter(({ topic }) => topic === 'client-events')
    .map(({ audience, value }) => [audience.everyone, value])

describe('the settings of an organization', () => {
  it('all have a default that they themselves allow', () => {
    for (const name of realmSettingNames) {
      const { value, standard } = realmSettings[name]
      expect((value as z.ZodType).parse(standard)).toEqual(standard)
    }
  })

  it('say how long members wait before they are full members, and who is one at once', async () => {
    const ids = [people.member.user.id]
    const told = async (waiting_period_threshold: string) => {
      await room.call(updateRealm, people.owner, { waiting_period_threshold })
      return (await events())
        .map(([, value]) => value)
        .filter(({ type }) => type === 'user_group')
        .map(({ op, group_id, user_ids }) => [op, group_id, user_ids])
    }
    const [full, others] = [system['role:fullmembers'], system['role:members']]
    expect(await told('3')).toEqual([
      ['remove_members', full, ids],
      ['add_members', others, ids],
    ])
    expect(await told('2')).toEqual([])
    expect(await told('0')).toEqual([
      ['remove_members', others, ids],
      ['add_members', full, ids],
    ])
  })

  it('change for administrators: one is told by itself, several together', async () => {
    const echoed = await room.call(updateRealm, people.administrator, { presence_disabled: 'true' })
    expect(echoed).toEqual({ presence_disabled: true })
    expect(await events()).toEqual([
      [true, { type: 'realm', op: 'update', property: 'presence_disabled', value: true }],
    ])
    await room.call(updateRealm, people.administrator, {
      message_content_edit_limit_seconds: 'unlimited',
      name: 'Acme',
      presence_disabled: 'true',
    })
    expect(await events()).toEqual([
      [
        true,
        {
          type: 'realm',
          op: 'update_dict',
          property: 'default',
          data: { message_content_edit_limit_seconds: null, name: 'Acme' },
        },
      ],
    ])
    await room.call(updateRealm, people.administrator, { description: 'We <b> are\n\nAcme' })
    expect((await events())[0]![1]).toMatchObject({
      op: 'update_dict',
      data: { description: 'We <b> are\n\nAcme' },
    })
    await room.call(updateRealm, people.administrator, {})
    expect(await events()).toEqual([])
  })

  it('say which pictures new accounts and bots begin with', async () => {
    const picture = async (name: string) => {
      const wishes = { email: `${name}@b.example`, full_name: name, role: roles.member, password: null }
      const { user_id } = await room.ask(createUser, { realm: people.owner.realm.subdomain, ...wishes })
      const bot = await room.call(createBot, people.owner, { full_name: `${name} bot`, short_name: name })
      const facts = (await room.announced()).filter(({ topic }) => topic === usersTopic.name)
      const sources = facts.map(({ value }) => value.avatar_source)
      return [sources, bot.avatar_url.startsWith('/user_avatars/'), user_id > 0]
    }
    expect(await picture('first')).toEqual([['G', 'G'], false, true])
    await room.call(updateRealm, people.administrator, { default_avatar_source: 'J' })
    expect(await picture('second')).toEqual([['J', 'J'], true, true])
  })

  it('reach other services with the fact', async () => {
    await room.call(updateRealm, people.owner, { waiting_period_threshold: '3' })
    const fact = (await room.announced()).find(({ topic }) => topic === realmsTopic.name)
    expect(RealmFact.parse(fact!.value).settings).toMatchObject({
      waiting_period_threshold: 3,
      can_create_groups: system['role:members'],
    })
  })

  it.each([
    { presence_disabled: 'perhaps' },
    { name: '' },
    { description: 'x'.repeat(1001) },
    { video_chat_provider: '3' },
    { default_language: 'tlhingan' },
    { message_content_edit_limit_seconds: '0' },
    { topics_policy: 'none' },
    { can_create_bots_group: '{"new":999999}' },
  ])('do not take %j', async (sent) => {
    await expect(
      room.call(updateRealm, people.owner, sent as unknown as Record<string, string>),
    ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    expect(await events()).toEqual([])
  })

  it.each([
    ['topics_policy', '"disable_empty_topic"', 'disable_empty_topic'],
    ['message_edit_history_visibility_policy', '"moves"', 'moves'],
    ['default_avatar_source', '"J"', 'J'],
    ['jitsi_server_url', '"https://meet.example"', 'https://meet.example'],
    ['jitsi_server_url', 'https://meet.example/b', 'https://meet.example/b'],
    ['default_language', '"de"', 'de'],
  ])('take %s quoted or bare: %s', async (name, sent, value) => {
    expect(await room.call(updateRealm, people.owner, { [name]: sent })).toEqual({ [name]: value })
  })

  it('are told with what clients cannot make themselves, and what older ones look for', async () => {
    for (const [sent, data] of [
      [{ description: 'A & B' }, { description: 'A & B', rendered_description: '<p>A &amp; B</p>' }],
      [{ description: '**B**' }, { description: '**B**', rendered_description: '<p><strong>B</strong></p>' }],
      [
        { topics_policy: 'disable_empty_topic' },
        { topics_policy: 'disable_empty_topic', mandatory_topics: true },
      ],
      [
        { topics_policy: 'allow_empty_topic' },
        { topics_policy: 'allow_empty_topic', mandatory_topics: false },
      ],
    ] as const) {
      await room.call(updateRealm, people.owner, { ...sent } as Record<string, string>)
      const event = { type: 'realm', op: 'update_dict', property: 'default', data }
      expect(await events()).toEqual([[true, event]])
    }
  })

  it('are in part the owners’, and nobody’s below administrators', async () => {
    for (const sent of [
      { invite_required: 'false' },
      { message_retention_days: '30' },
      { authentication_methods: '{"Email":false}' },
      { can_manage_all_groups: `{"new":${system['role:members']}}` },
    ]) {
      await expect(
        room.call(updateRealm, people.administrator, { ...sent } as Record<string, string>),
      ).rejects.toMatchObject({ error: 'UNAUTHORIZED_PRINCIPAL' })
    }
    await expect(room.call(updateRealm, people.moderator, { name: 'Mine' })).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
  })

  it('say who may do what, at once, and only what makes sense', async () => {
    const group = { name: 'Group', description: '', members: '[]' }
    await room.call(updateRealm, people.owner, {
      can_create_groups: `{"new":{"direct_members":[],"direct_subgroups":[${system['role:moderators']}]}}`,
    })
    await expect(room.call(createUserGroup, people.member, group)).rejects.toMatchObject({
      message: 'Insufficient permission',
    })
    await room.call(createUserGroup, people.moderator, group)
    const change = (sent: Record<string, string>) => room.call(updateRealm, people.owner, sent)
    const nobody = `{"new":${system['role:nobody']}}`
    await expect(change({ can_manage_all_groups: nobody })).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    const anonymous = `{"new":{"direct_members":[${people.owner.user.id}],"direct_subgroups":[]}}`
    await expect(change({ can_access_all_users_group: anonymous })).rejects.toMatchObject({
      error: 'SYSTEM_GROUP_REQUIRED',
    })
    const stale = `{"new":${system['role:owners']},"old":${system['role:everyone']}}`
    await expect(change({ can_create_bots_group: stale })).rejects.toMatchObject({
      error: 'EXPECTATION_MISMATCH',
    })
  })

  it('can end logging in by password, while another way is left', async () => {
    const changed = await room.call(updateRealm, people.owner, { authentication_methods: '{"Email":false}' })
    expect(changed).toEqual({ authentication_methods: { Email: false, LDAP: true, Dev: true } })
    const methods = {
      Email: { enabled: false, available: true },
      LDAP: { enabled: true, available: false, unavailable_reason: expect.any(String) },
      Dev: { enabled: true, available: true },
    }
    const event = { type: 'realm', op: 'update_dict', property: 'default' }
    expect(await events()).toEqual([[true, { ...event, data: { authentication_methods: methods } }]])
    const caller = { ...people.guest, user: null }
    await expect(
      room.call(fetchApiKey, caller, { username: 'guest@b.example', password: 'x' }),
    ).rejects.toMatchObject({ error: 'PASSWORD_AUTH_DISABLED' })
    await expect(
      room.call(updateRealm, people.owner, { authentication_methods: '{"Dev":false}' }),
    ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  })

  it('are all in the state that clients register with', async () => {
    const { database } = room.deps
    const options = {
      client_gravatar: true,
      slim_presence: false,
      include_subscribers: false,
      presence_history_limit_days: 14,
      apply_markdown: true,
    }
    const state = await database.snapshot((sql, snapshot) =>
      realmSection.read({ caller: people.guest, options, sql, snapshot, deps: room.deps }),
    )
    expect(z.strictObject(sectionContract.fields).parse(state)).toEqual(state)
    expect(state).toMatchObject({
      realm_waiting_period_threshold: 0,
      realm_can_delete_any_message_group: system['role:administrators'],
      realm_jitsi_server_url: null,
    })
  })
})
