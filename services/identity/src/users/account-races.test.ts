/** Requests about accounts that meet each other, or come when the account is not what it was any more. */
import type { AnyInternal, KnownCaller, SectionOptions } from '@parley/contracts'
import { inTransaction, type Tx, wholeFields } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AcquaintanceEvents, refreshAcquaintances } from '../acquaintances/acquaintance-changes.ts'
import { createBot } from '../bots/create-bot.ts'
import { realmBotSection } from '../bots/realm-bot-section.ts'
import { regenerateOwnApiKey } from '../keys/regenerate-own-api-key.ts'
import { type LogInEvents, noteFirstLogIn } from '../log-in/first-log-in.ts'
import { createProfileField } from '../profile-fields/create-profile-field.ts'
import { updateOwnProfile } from '../profile-fields/update-own-profile.ts'
import { updateProfileField } from '../profile-fields/update-profile-field.ts'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { updateRealm } from '../realms/update-realm.ts'
import type { Deps } from '../room.ts'
import { updateSettings } from '../settings/update-settings.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createAccount } from './account-creation.ts'
import { updateAccount } from './account-update.ts'
import { actingUser } from './acting-user.ts'
import { emailVisibility } from './email-visibility.ts'
import { endUser } from './end-user.ts'
import { realmUserSection } from './realm-user-section.ts'
import { updateUser } from './update-user.ts'
import type { RoleEvents, UserEvents } from './user-announcements.ts'
import { userById } from './user-store.ts'

/** With whom accounts share something, as channels would say. */
let company: { user_id: number; known_ids: number[] }[] = []
const ask = (async ({ name }: AnyInternal) =>
  name === 'company-of' ? { company } : {}) as unknown as Deps['ask']

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom({ ask })
})
afterAll(() => room.close())
beforeEach(async () => {
  company = []
  organization = await openTestOrganization(room)
  people = organization.people
})

const path = (caller: KnownCaller) => ({ user_id: String(caller.user.id) })
const stored = async (caller: KnownCaller) =>
  (await userById(room.deps.database.sql, organization.realm.id, caller.user.id))!
/** Deletes the account of who has still a request on its way. */
const deleteProfile = (whose: KnownCaller) =>
  room.call(endUser, people.owner, { actions: JSON.stringify({ delete_profile: true }) }, path(whose))
const limitGuests = async (): Promise<void> => {
  const { system_groups } = (await realmById(room.deps.database.sql, organization.realm.id))!
  const setting = JSON.stringify({ new: system_groups['role:members'] })
  await room.call(updateRealm, people.owner, { can_access_all_users_group: setting })
}
const field = async (wishes: Record<string, string>) => {
  const { id } = await room.call(createProfileField, people.owner, { name: 'About', ...wishes })
  return id
}
const say = (caller: KnownCaller, id: number, value: string) =>
  room.call(updateOwnProfile, caller, { data: JSON.stringify([{ id, value }]) })

/** Starts `second` before what `first` did is committed; both are done when it resolves. */
const meeting = async <T>(
  first: (tx: Tx<never>) => Promise<T>,
  second: () => Promise<unknown>,
): Promise<T> => {
  let isDone = false
  let following: Promise<unknown> = Promise.resolve()
  const outcome = await inTransaction<never, T>(room.deps.database, async (tx) => {
    const made = await first(tx)
    following = second().finally(() => {
      isDone = true
    })
    await room.heldUp(1, () => isDone)
    return made
  })
  await following
  return outcome
}

/** The guest and somebody come to share a channel. */
const acquaint = async (tx: Tx<never>, other: KnownCaller): Promise<void> => {
  company = [{ user_id: people.guest.user.id, known_ids: [other.user.id] }]
  await lockAccounts(tx.sql, organization.realm.id)
  await refreshAcquaintances(tx as Tx<AcquaintanceEvents>, ask, organization.realm.id, [people.guest.user.id])
}
const newcomer = async (tx: Tx<never>, name: string): Promise<number> => {
  const made = await createAccount(tx as unknown as Tx<UserEvents>, room.deps.keys, {
    ...{ realm_id: organization.realm.id, realm_host: 'chat.example', password_hash: null, role: 400 },
    ...{ email: `${name}@b.example`, full_name: name, email_address_visibility: emailVisibility.everyone },
  })
  return made!.user.id
}
/** Events of a kind that somebody was told, the last first. */
const toldTo = async (userId: number, type: string) =>
  (await room.announced())
    .filter(({ value }) => value.type === type)
    .filter(({ audience }) => audience.everyone || audience.users.includes(userId))
    .map(({ value }) => value)
    .reverse()

it('a registration shows what the role shows that the account has, whatever its token says', async () => {
  const { member, owner, administrator } = people
  await room.call(updateSettings, administrator, { email_address_visibility: '3' })
  const { user_id } = await room.call(createBot, owner, { full_name: 'Bot', short_name: 'b' })
  const shown = () =>
    room.deps.database.snapshot(async (sql, snapshot) => {
      const options = { client_gravatar: false } as SectionOptions
      const context = { caller: member, options, sql, snapshot, deps: room.deps }
      const { realm_users } = await wholeFields(await realmUserSection.read(context))
      const { realm_bots } = await realmBotSection.read(context)
      return {
        bots: realm_bots.map((bot) => bot.user_id),
        address: realm_users.find((user) => user.user_id === administrator.user.id)!.delivery_email,
      }
    })
  expect(await shown()).toEqual({ bots: [], address: null })
  await room.call(updateUser, owner, { role: '200' }, path(member))
  expect(await shown()).toEqual({ bots: [user_id], address: 'administrator@b.example' })
})

it('who was ended makes no bot any more', async () => {
  await room.call(endUser, people.owner, {}, path(people.member))
  await expect(
    room.call(createBot, people.member, { full_name: 'Left over', short_name: 'left' }),
  ).rejects.toMatchObject({ error: 'USER_DEACTIVATED' })
})

it('what was deleted of a person does not come back by a request on its way', async () => {
  const { member } = people
  const id = await field({ field_type: '1' })
  await deleteProfile(member)
  for (const late of [
    () => room.call(updateSettings, member, { full_name: 'Back again' }),
    () => room.call(updateSettings, member, { email_address_visibility: '1' }),
    () => say(member, id, 'me'),
  ]) {
    await expect(late()).rejects.toMatchObject({ error: 'USER_DEACTIVATED' })
  }
  expect(await stored(member)).toMatchObject({
    full_name: `Deleted user ${member.user.id}`,
    email_address_visibility: emailVisibility.nobody,
  })
})

it('a guest who comes to know somebody knows what is said of them at that moment', async () => {
  const { guest, member } = people
  const id = await field({ field_type: '1' })
  await limitGuests()
  await room.announced()
  await meeting(
    (tx) => acquaint(tx, member),
    () => say(member, id, 'me'),
  )
  const [last] = await toldTo(guest.user.id, 'realm_user')
  expect(last.person.custom_profile_field).toMatchObject({ id, value: 'me' })
})

it('a guest who comes to know somebody knows of their first log-in at that moment', async () => {
  const { guest, member } = people
  await limitGuests()
  await room.deps.database.sql`UPDATE users SET awaits_first_log_in = true WHERE id = ${member.user.id}`
  await room.announced()
  await meeting(
    (tx) => acquaint(tx, member),
    () =>
      inTransaction<LogInEvents, void>(room.deps.database, (tx) =>
        noteFirstLogIn(tx, organization.realm.id, member.user.id),
      ),
  )
  const [last] = await toldTo(guest.user.id, 'realm_user')
  expect(last.person.date_joined).toBe((await stored(member)).date_joined)
})

it('who logs in for the first time waits from then on before being a full member', async () => {
  const { member, owner } = people
  const { sql } = room.deps.database
  await sql`
    UPDATE users SET awaits_first_log_in = true, date_joined = now() - interval '9 days' WHERE id = ${member.user.id}`
  await room.call(updateRealm, owner, { waiting_period_threshold: '3' })
  await room.announced()
  await inTransaction<LogInEvents, void>(room.deps.database, (tx) =>
    noteFirstLogIn(tx, organization.realm.id, member.user.id),
  )
  const { system_groups } = (await realmById(sql, organization.realm.id))!
  const told = await toldTo(owner.user.id, 'user_group')
  expect(told.map(({ op, group_id }) => [op, group_id])).toEqual([
    ['add_members', system_groups['role:members']],
    ['remove_members', system_groups['role:fullmembers']],
  ])
})

it('a newcomer knows which choices were taken away at that moment, where guests are limited', async () => {
  const { member, owner } = people
  const options = (...keys: string[]) =>
    JSON.stringify(Object.fromEntries(keys.map((key, place) => [key, { text: key, order: String(place) }])))
  const id = await field({ field_type: '3', field_data: options('a', 'b') })
  await say(member, id, 'b')
  await limitGuests()
  await room.announced()
  const made = await meeting(
    (tx) => newcomer(tx, 'new'),
    () => room.call(updateProfileField, owner, { field_data: options('a') }, { field_id: String(id) }),
  )
  const told = await toldTo(made, 'realm_user')
  expect(told.map(({ person }) => person.custom_profile_field)).toContainEqual({ id, value: null })
})

it('two newcomers at once know each other, where guests are limited', async () => {
  await limitGuests()
  await room.announced()
  let second = 0
  const first = await meeting(
    (tx) => newcomer(tx, 'first'),
    async () => {
      second = await inTransaction<never, number>(room.deps.database, (tx) => newcomer(tx, 'second'))
    },
  )
  const told = await toldTo(first, 'realm_user')
  expect(told.map(({ person }) => person.user_id)).toContain(second)
})

it('whoever becomes an administrator knows who agrees to the export at that moment', async () => {
  const { owner, moderator, member } = people
  await meeting(
    async (tx) => {
      const { sql } = tx
      await lockAccounts(sql, organization.realm.id)
      const actor = await actingUser(sql, owner, 'owner')
      const before = (await userById(sql, organization.realm.id, moderator.user.id))!
      await updateAccount(tx as unknown as Tx<RoleEvents>, ask, actor, before, { role: 200 }, 'chat.example')
    },
    () => room.call(updateSettings, member, { allow_private_data_export: 'true' }),
  )
  expect(await toldTo(moderator.user.id, 'realm_export_consent')).toMatchObject([
    { user_id: member.user.id, consented: true },
  ])
})

it('each of two keys that are made at once has a version of its own', async () => {
  const { member } = people
  const { key_version } = await stored(member)
  await Promise.all([1, 2, 3, 4].map(() => room.call(regenerateOwnApiKey, member)))
  expect((await stored(member)).key_version).toBe(key_version + 4)
})
