import { EngineUnavailableError, type KnownCaller, refuse } from '@parley/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMultiuseInvite } from '../invites/create-multiuse-invite.ts'
import { listInvites } from '../invites/list-invites.ts'
import { revokeMultiuseInvite } from '../invites/revoke-multiuse-invite.ts'
import { sendInvites } from '../invites/send-invites.ts'
import { claimMails } from '../mail/mail-store.ts'
import { sendMail } from '../mail/send-mail.ts'
import { type Answers, openTestRoom, type TestRoom } from '../test-room.ts'
import { confirmAddress, join, showKey } from './join.ts'
import { register, showJoiningPage } from './joining-pages.ts'
import { claimJoinings } from './joining-store.ts'
import { resumeJoining } from './take-steps.ts'

let room: TestRoom
let standard: Answers
/** Accounts that identity made, by the name of the joining; and what channels was asked for. */
let accounts: Map<string, Record<string, unknown>>
let entered: Map<string, Record<string, unknown>>

beforeAll(async () => {
  room = await openTestRoom()
  standard = { ...room.answers }
})
afterAll(() => room.close())
beforeEach(async () => {
  await room.deps.database
    .sql`TRUNCATE invitations, confirmations, joinings, mails, inviters_to_judge, realm_domains`
  accounts = new Map()
  entered = new Map()
  Object.assign(room.answers, standard, {
    'create-newcomer': ({ name, ...wish }: { name: string }) => {
      accounts.set(name, wish)
      return { user_id: 500 }
    },
    'join-channels': ({ name, ...wish }: { name: string }) => {
      entered.set(name, wish)
      return { channel_ids: [] }
    },
  })
  await room.announced()
})

const nobodyOf = (caller: KnownCaller) => ({ ...caller, user: null })
const newcomer = { full_name: ' Ada ', password: 'correct horse battery' }
const keyIn = (text: string) => /\/join\/([\w-]{32})\//.exec(text)![1]!
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    ({ error, message }) => [error, message],
  )
const sendAll = async () => {
  const { ask, database, keys, publicUrl, log } = room.deps
  for (const mail of await claimMails(database.sql, 50)) {
    await sendMail({ ask, database, keys, publicUrl, log, transport: null }, mail)
  }
  const rows = await database.sql<{ text: string; kind: string }[]>`
    SELECT kind, content ->> 'text' AS text FROM mails WHERE state = 'captured' ORDER BY id DESC`
  return rows
}
const resume = async () => {
  await room.deps.database.sql`UPDATE joinings SET due_at = now()`
  const { ask, database, log } = room.deps
  for (const joining of await claimJoinings(database.sql, 50))
    await resumeJoining({ ask, database, log }, joining)
}
const mailedKey = async (inviter: KnownCaller, sent: Record<string, unknown> = {}) => {
  await room.call(sendInvites, inviter, { invitee_emails: 'ada@example.org', stream_ids: [1, 2], ...sent })
  return keyIn((await sendAll())[0]!.text)
}
const linkKey = async (inviter: KnownCaller, sent: Record<string, unknown> = {}) =>
  keyIn((await room.call(createMultiuseInvite, inviter, sent)).invite_link)
const confirmedKey = async (inviter: KnownCaller, key: string, email = 'ada@example.org') => {
  await room.call(confirmAddress, nobodyOf(inviter), { key, email })
  return keyIn((await sendAll())[0]!.text)
}

describe('an invitation that was mailed', () => {
  it('gives the account, role, groups, channels and greeting that it promises, once', async () => {
    const admin = room.person('administrator')
    const key = await mailedKey(admin, {
      invite_as: 300,
      group_ids: [3],
      include_realm_default_subscriptions: true,
      welcome_message_custom_text: 'Hello',
    })
    expect(await room.call(showKey, nobodyOf(admin), {}, { key })).toEqual({
      realm_name: 'Org',
      email: 'ada@example.org',
    })
    await room.announced()
    expect(await room.call(join, nobodyOf(admin), { key, ...newcomer })).toEqual({
      user_id: 500,
      email: 'ada@example.org',
    })
    expect([...accounts.values()]).toEqual([
      {
        realm_id: 7,
        email: 'ada@example.org',
        full_name: 'Ada',
        role: 300,
        password_hash: '$argon2id$test',
        group_ids: [3],
        welcome_message_custom_text: 'Hello',
      },
    ])
    expect([...entered.values()]).toEqual([
      {
        realm_id: 7,
        user_id: 500,
        inviter_id: admin.user.id,
        channel_ids: [1, 2],
        include_default: true,
        notices: [{ bot: 'notification', user_id: admin.user.id, content: expect.stringContaining('Ada') }],
      },
    ])
    expect((await room.announced()).map(({ value }) => value.type)).toEqual(['invites_changed'])
    const [kept] = await room.deps.database.sql`SELECT step, password_hash FROM joinings`
    expect(kept).toEqual({ step: 'done', password_hash: null })
    expect(await refusal(room.call(join, nobodyOf(admin), { key, ...newcomer }))).toEqual([
      'BAD_REQUEST',
      'This invitation was used already. If it was you, log in.',
    ])
  })

  it('raced by 100 clients makes one account', async () => {
    const member = room.person()
    const key = await mailedKey(member)
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => refusal(room.call(join, nobodyOf(member), { key, ...newcomer }))),
    )
    expect(outcomes.filter((outcome) => outcome === 'accepted').length).toBe(1)
    expect(new Set(outcomes.filter((outcome) => outcome !== 'accepted').map(([error]) => error))).toEqual(
      new Set(['BAD_REQUEST']),
    )
    expect(accounts.size).toBe(1)
    expect(entered.size).toBe(1)
  })

  it.each([
    ['identity was away', 'create-newcomer', false],
    ['identity died after it had made the account', 'create-newcomer', true],
    ['channels was away', 'join-channels', false],
    ['channels died after it had let somebody in', 'join-channels', true],
  ])('goes on when %s: one account, all of the steps', async (_case, question, hasEffect) => {
    const member = room.person()
    const key = await mailedKey(member)
    const whole = room.answers[question]!
    let failures = 0
    room.answers[question] = (input) => {
      if (hasEffect) whole(input)
      failures += 1
      throw new EngineUnavailableError('identity')
    }
    await expect(room.call(join, nobodyOf(member), { key, ...newcomer })).rejects.toThrow(
      EngineUnavailableError,
    )
    await resume()
    expect(failures).toBe(2)
    room.answers[question] = whole
    await resume()
    expect([accounts.size, entered.size]).toEqual([1, 1])
    expect(await room.deps.database.sql`SELECT step, user_id FROM joinings`).toMatchObject([
      { step: 'done', user_id: 500 },
    ])
    expect(await refusal(room.call(join, nobodyOf(member), { key, ...newcomer }))).toMatchObject([
      'BAD_REQUEST',
      expect.any(String),
    ])
  })

  it('that was claimed gives the whole account, though its maker lost the right meanwhile', async () => {
    const member = room.person()
    const key = await mailedKey(member, { group_ids: [3] })
    const [whole, standing] = [room.answers['create-newcomer']!, room.answers['inviting-standing']!]
    room.answers['create-newcomer'] = (input) => {
      whole(input)
      throw new EngineUnavailableError('identity')
    }
    await expect(room.call(join, nobodyOf(member), { key, ...newcomer })).rejects.toThrow(
      EngineUnavailableError,
    )
    room.answers['create-newcomer'] = whole
    room.answers['inviting-standing'] = (input) => ({ ...(standing(input) as object), account: null })
    await resume()
    expect([accounts.size, entered.size]).toEqual([1, 1])
    expect(await room.deps.database.sql`SELECT step FROM joinings`).toEqual([{ step: 'done' }])
  })

  it('is free again when the account could not be made', async () => {
    const member = room.person()
    const key = await mailedKey(member)
    const whole = room.answers['create-newcomer']!
    room.answers['create-newcomer'] = () => {
      throw refuse('BAD_REQUEST', "Email 'ada@example.org' already in use")
    }
    expect(await refusal(room.call(join, nobodyOf(member), { key, ...newcomer }))).toEqual([
      'BAD_REQUEST',
      "Email 'ada@example.org' already in use",
    ])
    expect((await room.call(listInvites, member)).invites.length).toBe(1)
    room.answers['create-newcomer'] = whole
    expect(await refusal(room.call(join, nobodyOf(member), { key, ...newcomer }))).toBe('accepted')
  })
})

describe('a reusable link', () => {
  it('needs an address that was confirmed, each confirmation being good for one account', async () => {
    const admin = room.person('administrator')
    const key = await linkKey(admin)
    expect(await room.call(showKey, nobodyOf(admin), {}, { key })).toEqual({ realm_name: 'Org', email: null })
    expect(await refusal(room.call(join, nobodyOf(admin), { key, ...newcomer }))).toEqual([
      'BAD_REQUEST',
      'Your address has to be confirmed first.',
    ])
    for (const email of ['ada@example.org', 'grace@example.org']) {
      const confirmed = await confirmedKey(admin, key, email)
      expect(await room.call(join, nobodyOf(admin), { key: confirmed, ...newcomer })).toMatchObject({ email })
      expect(await refusal(room.call(join, nobodyOf(admin), { key: confirmed, ...newcomer }))).toMatchObject([
        'BAD_REQUEST',
        'This link was used already. If it was you, log in.',
      ])
    }
    expect([...accounts.values()].map(({ email }) => email)).toEqual(['ada@example.org', 'grace@example.org'])
  })

  it('tells nobody who has an account, and writes to one address three times an hour at most', async () => {
    const admin = room.person('administrator')
    const key = await linkKey(admin)
    room.answers['find-users'] = ({ emails }: { emails: string[] }) => ({
      users: emails
        .filter((email) => email === 'here@example.org')
        .map((email) => ({
          ...{
            id: 1,
            realm_id: 7,
            full_name: 'A',
            role: 400,
            bot_type: null,
            bot_owner_id: null,
            version: 1,
          },
          ...{ email, delivery_email: email, is_active: true, avatar_source: 'G', avatar_version: 1 },
        })),
    })
    const ask = (email: string) => room.call(confirmAddress, nobodyOf(admin), { key, email })
    expect(await ask('here@example.org')).toEqual(await ask('new@example.org'))
    for (let more = 0; more < 5; more += 1) await ask('NEW@example.org')
    const kinds = (await sendAll()).map(({ kind }) => kind).sort()
    expect(kinds).toEqual(['confirmation', 'confirmation', 'confirmation', 'has_account'])
  })

  it('that ends meanwhile lets nobody in who confirmed before', async () => {
    const admin = room.person('administrator')
    for (const end of [
      async () => {
        const { invites } = await room.call(listInvites, admin)
        await room.call(revokeMultiuseInvite, admin, {}, { invite_id: String(invites[0]!.id) })
      },
      () => room.deps.database.sql`UPDATE invitations SET expires_at = now()`,
      () => room.deps.database.sql`UPDATE confirmations SET expires_at = now()`,
    ]) {
      const key = await confirmedKey(admin, await linkKey(admin), `p${Math.random()}@example.org`)
      await end()
      expect(await refusal(room.call(join, nobodyOf(admin), { key, ...newcomer }))).toMatchObject([
        'BAD_REQUEST',
        expect.stringMatching(/withdrawn|expired/),
      ])
    }
    expect(accounts.size).toBe(0)
  })
})

describe('keys and what they may give', () => {
  it('a key that was altered, made up or is of another organization opens nothing', async () => {
    const owner = room.person('owner')
    const key = await mailedKey(owner)
    const elsewhere = nobodyOf(room.person('owner', 8))
    const altered = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const [caller, wrong] of [
      [nobodyOf(owner), altered],
      [nobodyOf(owner), ''],
      [nobodyOf(owner), 'x'.repeat(10_000)],
      [nobodyOf(owner), key.toUpperCase()],
      [elsewhere, key],
    ] as const) {
      expect(await refusal(room.call(join, caller, { key: wrong, ...newcomer }))).toEqual([
        'RESOURCE_NOT_FOUND',
        'This link is not valid here.',
      ])
    }
    expect(accounts.size).toBe(0)
  })

  it('an inviter who lost the role or the right gives nothing, before anybody revoked', async () => {
    const owner = room.person('owner')
    const key = await mailedKey(owner, { invite_as: 100, group_ids: [3] })
    const before = room.answers['inviting-standing']!
    const withdrawn = ['BAD_REQUEST', 'This invitation was withdrawn.']
    for (const account of [
      null,
      { role: 200, full_name: '', delivery_email: '', allowed: ['can_invite_users_group'] },
      { role: 100, full_name: '', delivery_email: '', allowed: [] },
    ]) {
      room.answers['inviting-standing'] = (input) => ({ ...(before(input) as object), account })
      expect(await refusal(room.call(join, nobodyOf(owner), { key, ...newcomer }))).toEqual(withdrawn)
    }
    room.answers['inviting-standing'] = (input) => ({
      ...(before(input) as object),
      refused_groups: [{ id: 3, reason: 'Insufficient permission' }],
    })
    expect(await refusal(room.call(join, nobodyOf(owner), { key, ...newcomer }))).toBe('accepted')
    expect([...accounts.values()]).toMatchObject([{ role: 100, group_ids: [] }])
  })

  it('settings decide who may join: invitations, domains, disposable addresses, a deactivated organization', async () => {
    const admin = room.person('administrator')
    const before = room.answers['find-realm-by-id']!
    const withRealm = (changes: object) => {
      room.answers['find-realm-by-id'] = (input) => {
        const { realm } = before(input) as { realm: object }
        return { realm: { ...realm, ...changes } }
      }
    }
    const ask = (email: string) => refusal(room.call(confirmAddress, nobodyOf(admin), { email }))
    expect(await ask('ada@example.org')).toEqual([
      'BAD_REQUEST',
      'This organization is joined by invitation only.',
    ])
    withRealm({ settings: { invite_required: false } })
    expect(await ask('ada@mailinator.com')).toMatchObject(['BAD_REQUEST', expect.any(String)])
    expect(await ask('no address')).toMatchObject(['BAD_REQUEST', expect.any(String)])
    expect(await ask('ada@example.org')).toBe('accepted')
    const key = keyIn((await sendAll())[0]!.text)
    expect(await refusal(room.call(join, nobodyOf(admin), { key, ...newcomer }))).toBe('accepted')
    expect([...entered.values()]).toMatchObject([{ inviter_id: null, include_default: true, notices: [] }])

    await room.deps.database.sql`
      INSERT INTO realm_domains (realm_id, domain, allow_subdomains) VALUES (7, 'a.example', false), (7, 'b.example', true)`
    withRealm({ settings: { invite_required: false, emails_restricted_to_domains: true } })
    for (const [email, isTaken] of [
      ['x@a.example', true],
      ['x@sub.a.example', false],
      ['x@sub.B.example', true],
      ['x@evila.example', false],
      ['x@c.example', false],
      ['x+y@a.example', false],
    ] as const) {
      expect([email, (await ask(email)) === 'accepted']).toEqual([email, isTaken])
    }
    withRealm({ is_active: false, settings: { invite_required: false } })
    expect(await ask('x@a.example')).toMatchObject(['REALM_DEACTIVATED', expect.any(String)])
  })
})

it('the pages say what is wrong, keep what was typed, and hold no markup of strangers', async () => {
  const member = room.person()
  const key = await mailedKey(member)
  const shown = async (
    handler: Parameters<TestRoom['call']>[0],
    sent: object,
    path?: Record<string, string>,
  ) => {
    const answer = (await room.call(handler, nobodyOf(member), { ...sent }, path)) as unknown as {
      status: number
      headers: Record<string, string>
      content: Buffer
    }
    return { ...answer, text: answer.content.toString() }
  }
  const page = await shown(showJoiningPage, {}, { key })
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  for (const label of ['email', 'full_name', 'password'])
    expect(page.text).toContain(`<label for="${label}">`)
  expect(page.text).not.toContain('<script')
  room.answers['judge-newcomer'] = () => {
    throw refuse('BAD_REQUEST', 'The password is too easy to guess.')
  }
  const again = await shown(register, { key, full_name: '"><script>', password: 'x' })
  expect(again.status).toBe(400)
  expect(again.text).toContain('role="alert"')
  expect(again.text).toContain('value="&quot;&gt;&lt;script&gt;"')
  room.answers['judge-newcomer'] = standard['judge-newcomer']!
  const done = await shown(register, { key, ...newcomer })
  expect([done.status, done.headers['x-parley-session-user']]).toEqual([200, '500'])
  expect((await shown(register, { key, ...newcomer })).status).toBe(400)
  expect((await shown(showJoiningPage, {}, { key: 'nonsense' })).status).toBe(404)
})
