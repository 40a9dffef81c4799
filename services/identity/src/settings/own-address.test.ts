import type { AnyInternal, KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBot } from '../bots/create-bot.ts'
import { fetchApiKey } from '../log-in/fetch-api-key.ts'
import { findPasswordHolder } from '../passwords/find-password-holder.ts'
import { requirePasswordReset } from '../passwords/require-password-reset.ts'
import { setPassword } from '../passwords/set-password.ts'
import { updateRealm } from '../realms/update-realm.ts'
import type { Deps } from '../room.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createUser } from '../users/create-user.ts'
import { deactivateUser } from '../users/deactivate-user.ts'
import { endUser } from '../users/end-user.ts'
import { getUser } from '../users/get-user.ts'
import { takeNewAddress } from '../users/take-new-address.ts'
import { updateSettings } from './update-settings.ts'

/** What invitations was asked to prove. */
let proofs: unknown[]
const ask = (async ({ name }: AnyInternal, input: { email: string }) => {
  if (name === 'judge-address') {
    return { finding: input.email.endsWith('@elsewhere.example') ? 'This domain is not welcome.' : null }
  }
  if (name !== 'prove-new-address') throw new Error(`nobody answers ${name} in this test`)
  proofs.push(input)
  return {}
}) as unknown as Deps['ask']

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom({ ask })
})
afterAll(() => room.close())
beforeEach(async () => {
  proofs = []
  organization = await openTestOrganization(room)
  people = organization.people
})

const wants = (caller: KnownCaller, email: string) => room.call(updateSettings, caller, { email })
const change = (caller: KnownCaller, wishes: object = {}) =>
  room.ask(takeNewAddress, {
    realm_id: organization.realm.id,
    user_id: caller.user.id,
    old_email: 'member@b.example',
    new_email: 'mem@b.example',
    ...wishes,
  })
const forms = async () =>
  (await room.announced()).flatMap(({ value }) => (value.type === 'realm_user' ? [value.person] : []))

describe('an own new address', () => {
  it('is only proved at first', async () => {
    await wants(people.member, ' mem@b.example ')
    const user_id = people.member.user.id
    const emails = { old_email: 'member@b.example', new_email: 'mem@b.example' }
    expect(proofs).toEqual([{ realm_id: organization.realm.id, user_id, ...emails }])
    expect(await room.announced()).toEqual([])
    await wants(people.member, 'member@b.example')
    expect(proofs).toHaveLength(1)
  })

  it('is refused when it is none, taken, made by the server, unwelcome, a bot’s, or switched off', async () => {
    const host = `${organization.realm.subdomain}.chat.example`
    for (const email of ['nothing', 'OWNER@b.example', `user77@${host}`, 'me@elsewhere.example']) {
      await expect(wants(people.member, email), email).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    await room.call(updateRealm, people.owner, { email_changes_disabled: 'true' })
    await expect(wants(people.member, 'mem@b.example')).rejects.toMatchObject({
      message: 'Email address changes are disabled in this organization.',
    })
    await wants(people.administrator, 'boss@b.example')
    expect(proofs).toHaveLength(1)
  })

  it('is taken when it was proved, once, and told to who may see it', async () => {
    const user_id = people.member.user.id
    await change(people.member)
    expect(await forms()).toMatchObject([
      { user_id, new_email: 'mem@b.example' },
      { user_id, delivery_email: 'mem@b.example' },
      { user_id, avatar_source: 'G' },
    ])
    await change(people.member)
    expect(await forms()).toEqual([])
    await room.call(updateSettings, people.member, { email_address_visibility: '4' })
    await room.announced()
    await change(people.member, { old_email: 'mem@b.example', new_email: 'hidden@b.example' })
    expect(JSON.stringify(await forms())).toContain('hidden@b.example')
  })

  it('is not taken over another change, by an ended account, or from somebody else', async () => {
    const refused = { error: 'BAD_REQUEST' }
    await expect(change(people.member, { old_email: 'older@b.example' })).rejects.toMatchObject(refused)
    await expect(change(people.member, { new_email: 'guest@b.example' })).rejects.toMatchObject(refused)
    await room.ask(deactivateUser, { realm: organization.realm.subdomain, email: 'member@b.example' })
    await expect(change(people.member)).rejects.toMatchObject(refused)
  })
})

describe('a forgotten password', () => {
  const password = 'umbrella giraffe tangent 9'
  const logIn = (sent: string) =>
    room.call(fetchApiKey, { ...people.member, user: null }, { username: 'p@b.example', password: sent })

  it('is set for who reads the mail of an active person, and had to be where an operator says so', async () => {
    const { id: realm_id, subdomain: realm } = organization.realm
    const wish = { realm, email: 'p@b.example', full_name: 'P', role: 400 as const, password: 'the old one' }
    const { user_id } = await room.ask(createUser, wish)
    expect(await room.ask(findPasswordHolder, { realm_id, email: 'P@b.example' })).toEqual({
      user: { id: user_id, delivery_email: 'p@b.example' },
    })
    for (const [id, email] of [
      [realm_id, 'nobody@b.example'],
      [realm_id + 1, 'p@b.example'],
    ] as const) {
      expect(await room.ask(findPasswordHolder, { realm_id: id, email })).toEqual({ user: null })
    }
    expect(await room.ask(requirePasswordReset, { realm, email: null })).toEqual({ accounts: 1 })
    await expect(logIn('the old one')).rejects.toMatchObject({ error: 'PASSWORD_RESET_REQUIRED' })
    await expect(logIn('a guess')).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
    const link = { realm_id, user_id, email: 'p@b.example' }
    for (const weak of ['short', 'password1']) {
      await expect(room.ask(setPassword, { ...link, password: weak })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
    await expect(room.ask(setPassword, { ...link, email: 'q@b.example', password })).rejects.toThrow(
      'not valid',
    )
    await room.ask(setPassword, { ...link, password })
    expect(await logIn(password)).toMatchObject({ user_id })
    await expect(logIn('the old one')).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
    await room
      .call(updateRealm, people.owner, { authentication_methods: '{"Email": false, "Dev": true}' })
      .catch(() => {})
    await room.ask(deactivateUser, { realm, email: 'p@b.example' })
    expect(await room.ask(findPasswordHolder, { realm_id, email: 'p@b.example' })).toEqual({ user: null })
    await expect(room.ask(setPassword, { ...link, password })).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  })
})

describe('ending an account', () => {
  const departures = async () =>
    (await room.announced()).flatMap(({ topic, value }) => (topic === 'identity.departures' ? [value] : []))
  const end = (caller: KnownCaller, sent: Record<string, string>) =>
    room.call(endUser, people.administrator, sent, { user_id: String(caller.user.id) })

  it('tells others what is wanted besides, and nothing where nothing is', async () => {
    await end(people.guest, {})
    expect(await departures()).toEqual([])
    const tooLong = { deactivation_notification_comment: 'x'.repeat(2001) }
    await expect(end(people.member, tooLong)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(end(people.member, { actions: '{"delete_everything": true}' })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
    await end(people.member, { deactivation_notification_comment: ' Farewell ' })
    const realm_id = organization.realm.id
    expect(await departures()).toEqual([
      {
        realm_id,
        user_id: people.member.user.id,
        email: 'member@b.example',
        comment: 'Farewell',
        deletes_messages: [],
      },
    ])
    const actions = {
      delete_private_channel_messages: true,
      delete_direct_messages: true,
      delete_profile: true,
    }
    await end(people.moderator, { actions: JSON.stringify(actions) })
    expect(await departures()).toMatchObject([
      { email: 'moderator@b.example', comment: null, deletes_messages: ['private_channels', 'direct'] },
    ])
  })

  it('does with its bots what is wanted of itself, to them first', async () => {
    const { user_id } = await room.call(createBot, people.member, {
      full_name: 'Helper',
      short_name: 'helper',
    })
    await room.announced()
    const actions = { delete_profile: true, delete_public_channel_messages: true }
    await end(people.member, { actions: JSON.stringify(actions), deactivation_notification_comment: '' })
    expect(await departures()).toMatchObject([
      { user_id, comment: null, deletes_messages: ['public_channels'] },
      { user_id: people.member.user.id, comment: '', deletes_messages: ['public_channels'] },
    ])
    const path = { user_id: String(user_id) }
    expect((await room.call(getUser, people.owner, {}, path)).user).toMatchObject({ is_deleted: true })
  })
})
