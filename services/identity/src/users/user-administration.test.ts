import type { KnownCaller, RoleName } from '@parley/contracts'
import { inTransaction } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBot } from '../bots/create-bot.ts'
import { regenerateOwnApiKey } from '../keys/regenerate-own-api-key.ts'
import { fetchApiKey } from '../log-in/fetch-api-key.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createAccount } from './account-creation.ts'
import { addUser } from './add-user.ts'
import { emailVisibility } from './email-visibility.ts'
import { endOwnUser } from './end-own-user.ts'
import { endUser } from './end-user.ts'
import { getUser } from './get-user.ts'
import { getUserByEmail } from './get-user-by-email.ts'
import { grantUserPermission } from './grant-user-permission.ts'
import { reactivateUser } from './reactivate-user.ts'
import { updateUser } from './update-user.ts'
import { updateUserByEmail } from './update-user-by-email.ts'
import type { UserEvents } from './user-announcements.ts'

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

const id = (caller: KnownCaller) => ({ user_id: String(caller.user.id) })
const change = (caller: KnownCaller, target: KnownCaller, sent: Record<string, string>) =>
  room.call(updateUser, caller, sent, id(target))
const as = async (caller: KnownCaller) =>
  (await room.call(getUser, caller, { client_gravatar: 'false' }, id(caller))).user
/** Who was told what of accounts and bots. */
const told = async () =>
  (await room.announced())
    .filter(({ topic, value }) => topic === 'client-events' && value.type !== 'user_group')
    .map(({ audience, value }) => ({
      to: audience.everyone ? 'everyone' : audience.users,
      is: value.person ?? value.bot,
      op: `${value.type}/${value.op}`,
    }))
const grant = (role: RoleName, permission: 'can_create_users' | 'can_change_user_emails') =>
  room.ask(grantUserPermission, {
    realm: organization.realm.subdomain,
    email: `${role}@b.example`,
    permission,
    is_granted: true,
  })
const hidden = async (email: string): Promise<KnownCaller> => {
  const made = await inTransaction<UserEvents, number>(room.deps.database, async (tx) => {
    const account = await createAccount(tx, room.deps.keys, {
      realm_id: organization.realm.id,
      realm_host: `${organization.realm.subdomain}.chat.example`,
      email,
      full_name: 'Hidden',
      role: 400,
      password_hash: null,
      email_address_visibility: emailVisibility.administrators,
    })
    return account!.user.id
  })
  await room.announced()
  return { realm: organization.realm, user: { id: made, role: 400, bot_type: null }, client: 'test' }
}

describe('changing an account', () => {
  it('by name and role tells everyone', async () => {
    const { id: user_id } = people.member.user
    await change(people.administrator, people.member, { full_name: ' Maxine ', role: '300' })
    expect(await told()).toEqual([
      { to: 'everyone', op: 'realm_user/update', is: { user_id, full_name: 'Maxine' } },
      { to: 'everyone', op: 'realm_user/update', is: { user_id, role: 300 } },
    ])
    await change(people.administrator, people.member, { full_name: 'Maxine', role: '300' })
    expect(await told()).toEqual([])
  })

  it('leaves the owner role to owners, and needs an administrator at the time of the change', async () => {
    for (const [target, role] of [
      [people.member, '100'],
      [people.owner, '400'],
    ] as const) {
      await expect(change(people.administrator, target, { role })).rejects.toMatchObject({
        error: 'UNAUTHORIZED_PRINCIPAL',
      })
    }
    await change(people.owner, people.administrator, { role: '600' })
    await expect(change(people.administrator, people.member, { full_name: 'X' })).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
  })

  it.each([{ role: '150' }, { role: '"owner"' }, { full_name: '' }, { full_name: 'a*b' }])(
    'refuses %j, and changes nothing',
    async (sent) => {
      await expect(
        change(people.owner, people.member, { ...sent } as Record<string, string>),
      ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
      expect(await told()).toEqual([])
    },
  )

  it('never leaves an organization without an owner, also when two demote each other at once', async () => {
    await expect(change(people.owner, people.owner, { role: '200' })).rejects.toMatchObject({
      message: 'The owner permission cannot be removed from the only organization owner.',
    })
    for (let round = 0; round < 5; round += 1) {
      const owners = [people.owner, await organization.person(`second${round}`, 'owner')] as const
      const outcomes = await Promise.allSettled([
        change(owners[0], owners[1], { role: '400' }),
        change(owners[1], owners[0], { role: '400' }),
      ])
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const left = await Promise.all(owners.map(as))
      expect(left.filter(({ is_owner }) => is_owner)).toHaveLength(1)
      people.owner = owners[left.findIndex(({ is_owner }) => is_owner)]!
    }
  })

  it('shows the changed account what it sees now, and what not any more', async () => {
    const secret = await hidden('secret@b.example')
    const bot = await room.call(createBot, people.owner, { full_name: 'Bot', short_name: 'bot' })
    await room.announced()
    const self = [people.member.user.id]
    const shown = { user_id: secret.user.id, delivery_email: 'secret@b.example' }
    await change(people.owner, people.member, { role: '200' })
    expect((await told()).slice(1)).toEqual([
      { to: self, op: 'realm_user/update', is: shown },
      { to: self, op: 'realm_bot/add', is: expect.objectContaining({ user_id: bot.user_id }) },
    ])
    await change(people.owner, people.member, { role: '400' })
    expect((await told()).slice(1)).toEqual([
      { to: self, op: 'realm_user/update', is: { ...shown, delivery_email: null } },
      { to: self, op: 'realm_bot/delete', is: { user_id: bot.user_id } },
    ])
  })

  it('does not reach into another organization', async () => {
    const other = await openTestOrganization(room)
    await expect(change(people.owner, other.people.member, { full_name: 'X' })).rejects.toMatchObject({
      message: 'No such user',
    })
  })
})

describe('another e-mail address', () => {
  it('is given by owners with the permission, and told to those who see it', async () => {
    const secret = await hidden('secret@b.example')
    const sent = { new_email: 'new@b.example' }
    await expect(change(people.administrator, secret, sent)).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
    await expect(change(people.owner, secret, sent)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await grant('owner', 'can_change_user_emails')
    await change(people.owner, secret, sent)
    const seers = [people.owner, people.administrator, secret].map(({ user }) => user.id)
    expect(await told()).toEqual([
      {
        to: seers,
        op: 'realm_user/update',
        is: { user_id: secret.user.id, delivery_email: 'new@b.example' },
      },
    ])
    await change(people.owner, people.member, { new_email: 'other@b.example' })
    expect((await told()).map(({ is }) => Object.keys(is)[1])).toEqual([
      'new_email',
      'delivery_email',
      'avatar_url',
    ])
    for (const taken of ['NEW@b.example', `user5@${organization.realm.subdomain}.chat.example`, 'x']) {
      await expect(change(people.owner, people.member, { new_email: taken })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
  })

  it('names an account only to those who see it; the dummy address names it to everybody', async () => {
    const secret = await hidden('secret@b.example')
    const find = async (caller: KnownCaller, email: string) =>
      (await room.call(getUserByEmail, caller, {}, { email })).user.user_id
    const host = `${organization.realm.subdomain}.chat.example`
    const nobody = { message: 'No such user' }
    expect(await find(people.administrator, 'SECRET@b.example')).toBe(secret.user.id)
    await expect(find(people.member, 'secret@b.example')).rejects.toMatchObject(nobody)
    expect(await find(people.guest, `user${secret.user.id}@${host}`)).toBe(secret.user.id)
    expect(await find(people.guest, `user${people.owner.user.id}@${host}`)).toBe(people.owner.user.id)
    for (const email of [`user${secret.user.id}@other.example`, `user99999999@${host}`]) {
      await expect(find(people.owner, email)).rejects.toMatchObject(nobody)
    }
    await room.call(updateUserByEmail, people.owner, { full_name: 'Seen' }, { email: 'member@b.example' })
    expect((await as(people.member)).full_name).toBe('Seen')
  })
})

describe('ending an account', () => {
  it('ends its bots too, and it comes back alone', async () => {
    const bot = await room.call(createBot, people.member, { full_name: 'Bot', short_name: 'bot' })
    await room.announced()
    await room.call(endUser, people.administrator, {}, id(people.member))
    expect((await told()).map(({ is }) => is)).toEqual([
      { user_id: bot.user_id, is_active: false },
      { user_id: people.member.user.id, is_active: false },
    ])
    const back = () => room.call(reactivateUser, people.administrator, {}, id(people.member))
    await back()
    // Besides, administrators are told what the account itself does not say: whether it agreed to exports.
    const returned = (await told()).flatMap(({ is }) => is ?? [])
    expect(returned).toEqual([{ user_id: people.member.user.id, is_active: true }])
    await expect(back()).rejects.toMatchObject({ message: 'User is already active' })
  })

  it('gives a bot whose owner is gone to whoever brings it back', async () => {
    const bot = await room.call(createBot, people.member, { full_name: 'Bot', short_name: 'bot' })
    await room.call(endUser, people.administrator, {}, id(people.member))
    await room.announced()
    await room.call(reactivateUser, people.administrator, {}, { user_id: String(bot.user_id) })
    expect((await told()).map(({ is }) => is)).toEqual([
      { user_id: bot.user_id, is_active: true },
      { user_id: bot.user_id, bot_owner_id: people.administrator.user.id },
    ])
  })

  it('is for administrators, for owners if it is an owner’s, and never the last owner’s', async () => {
    const end = (caller: KnownCaller, target: KnownCaller) => room.call(endUser, caller, {}, id(target))
    await expect(end(people.moderator, people.guest)).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
    await expect(end(people.administrator, people.owner)).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
    const last = { error: 'CANNOT_DEACTIVATE_LAST_USER', fields: { is_last_owner: true } }
    await expect(end(people.owner, people.owner)).rejects.toMatchObject(last)
    await expect(room.call(endOwnUser, people.owner)).rejects.toMatchObject(last)
    const second = await organization.person('second', 'owner')
    const outcomes = await Promise.allSettled([
      room.call(endOwnUser, people.owner),
      room.call(endOwnUser, second),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('can remove what it holds of a person, for good', async () => {
    const actions = '{"delete_profile":true}'
    await room.call(endUser, people.owner, { actions }, id(people.member))
    const gone = await as(people.member)
    expect(gone).toMatchObject({
      is_deleted: true,
      is_active: false,
      full_name: `Deleted user ${gone.user_id}`,
    })
    expect(JSON.stringify(gone)).not.toContain('b.example')
    await expect(room.call(reactivateUser, people.owner, {}, id(people.member))).rejects.toMatchObject({
      message: 'No such user',
    })
  })
})

describe('an account made by an administrator', () => {
  const wishes = { email: 'new@b.example', password: 'correct horse', full_name: 'New' }

  it('needs the permission, and joins when it is first used', async () => {
    await expect(room.call(addUser, people.administrator, wishes)).rejects.toMatchObject({
      message: 'User not authorized to create users',
    })
    await grant('administrator', 'can_create_users')
    const { user_id } = await room.call(addUser, people.administrator, wishes)
    await expect(room.call(addUser, people.administrator, wishes)).rejects.toMatchObject({
      message: "Email 'new@b.example' already in use",
    })
    await room.announced()
    const logIn = () =>
      room.call(
        fetchApiKey,
        { ...people.guest, user: null },
        { username: 'new@b.example', password: 'correct horse' },
      )
    await Promise.all([logIn(), logIn(), logIn()])
    expect((await told()).map(({ is }) => is)).toEqual([{ user_id, date_joined: expect.any(String) }])
  })
})

describe('a key of one’s own', () => {
  it('is replaced, and nobody else’s', async () => {
    const { api_key } = await room.call(regenerateOwnApiKey, people.member)
    expect(api_key).toMatch(/^.{32}$/)
    const facts = (await room.announced()).map(({ value }) => [value.id, value.key_version])
    expect(facts).toEqual([[people.member.user.id, 2]])
  })
})
