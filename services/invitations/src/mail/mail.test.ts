import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { KnownCaller } from '@parley/contracts'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listInvites } from '../invites/list-invites.ts'
import { resendInvite } from '../invites/resend-invite.ts'
import { revokeInvite } from '../invites/revoke-invite.ts'
import { sendInvites } from '../invites/send-invites.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { listCapturedMail, showCapturedMail } from './captured-mail.ts'
import { claimMails } from './mail-store.ts'
import { type MailTransport, mailTransport } from './mail-transport.ts'
import { sendMail } from './send-mail.ts'
import { showUnsubscribing, unsubscribe } from './unsubscribe.ts'

let room: TestRoom
let server: SMTPServer
let transport: MailTransport
/** Mails as they arrived. */
let received: { to: string[]; raw: string }[]
/** What the mail server answers to the next recipients. */
let answer: { responseCode: number; message: string } | null

beforeAll(async () => {
  room = await openTestRoom()
  server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo: (_address, _session, done) =>
      done(answer === null ? null : Object.assign(new Error(answer.message), answer)),
    onData: (stream, session, done) => {
      buffer(stream).then((body) => {
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw: body.toString() })
        done()
      }, done)
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  transport = mailTransport(`smtp://127.0.0.1:${port}`, 'Parley <noreply@chat.example>', 'chat.example')
})
afterAll(async () => {
  transport.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  await room.close()
})
beforeEach(() => {
  received = []
  answer = null
})
afterEach(async () => {
  await room.deps.database.sql`TRUNCATE invitations, confirmations, joinings, mails, unsubscribed`
})

/** One pass of a process that sends mail. */
const sendAll = async (through: MailTransport | null = transport): Promise<number> => {
  const mails = await claimMails(room.deps.database.sql, 50)
  const { ask, database, keys, publicUrl, log } = room.deps
  const parts = { ask, database, keys, publicUrl, log, transport: through }
  await Promise.all(mails.map((mail) => sendMail(parts, mail)))
  return mails.length
}
const states = async () =>
  (await room.deps.database.sql<{ state: string }[]>`SELECT state FROM mails ORDER BY id`).map(
    ({ state }) => state,
  )
const makeDue = () => room.deps.database.sql`UPDATE mails SET due_at = now()`
const invite = (caller: KnownCaller, emails: string, sent: Record<string, unknown> = {}) =>
  room.call(sendInvites, caller, { invitee_emails: emails, stream_ids: [], ...sent })
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    ({ code, message, fields }) => ({ code, message, ...fields }),
  )
const decoded = (raw: string) =>
  raw
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
const idOf = async (caller: KnownCaller) => ({
  invite_id: String((await room.call(listInvites, caller)).invites[0]!.id),
})

describe('an invitation by mail', () => {
  it('arrives as text and HTML, with its link and a way to hear no more', async () => {
    const member = room.person()
    await invite(member, ' Ada Lovelace <ada@example.org>,\ngrace@example.org\nADA@example.org')
    expect(await sendAll()).toBe(2)
    expect(await states()).toEqual(['sent', 'sent'])
    expect(received.map(({ to }) => to[0]).sort()).toEqual(['ada@example.org', 'grace@example.org'])
    const mail = decoded(received.find(({ to }) => to[0] === 'ada@example.org')!.raw)
    expect(mail).toMatch(/^From: Parley <noreply@chat\.example>/m)
    expect(mail).toMatch(/^Message-ID: <parley-\d+@chat\.example>/m)
    expect(mail).toMatch(/^Content-Type: multipart\/alternative/m)
    expect(mail).toMatch(/^Content-Type: text\/plain/m)
    expect(mail).toMatch(/^Content-Type: text\/html/m)
    expect(mail).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m)
    const key = /http:\/\/o7\.chat\.example\/join\/([\w-]{32})\//.exec(mail)![1]!
    const [found] = await room.deps.database.sql<{ email: string }[]>`
      SELECT email FROM invitations WHERE key_hash = ${room.deps.keys.hash(7, key)}`
    expect(found).toEqual({ email: 'ada@example.org' })
    const { invites } = await room.call(listInvites, member)
    expect(invites.map(({ email, link_url, is_multiuse }) => [email, link_url, is_multiuse])).toEqual([
      ['grace@example.org', undefined, false],
      ['ada@example.org', undefined, false],
    ])
  })

  it('is sent once by several processes, later when the server is away, and by another when its sender died', async () => {
    await invite(room.person(), 'a@example.org,b@example.org')
    const away = mailTransport('smtp://127.0.0.1:1', 'a@b.example', 'b.example')
    const counts = await Promise.all([sendAll(away), sendAll(away)])
    expect(counts[0]! + counts[1]!).toBe(2)
    expect(await states()).toEqual(['waiting', 'waiting'])
    expect(await sendAll()).toBe(0)
    await makeDue()
    // Whoever takes them and dies leaves them to others after the lease.
    expect((await claimMails(room.deps.database.sql, 1)).length).toBe(1)
    await makeDue()
    await Promise.all([sendAll(), sendAll(), sendAll()])
    expect(received.length).toBe(2)
    expect(await states()).toEqual(['sent', 'sent'])
  })

  it('is tried again when the server is busy, and given up when it is refused for good', async () => {
    await invite(room.person(), 'a@example.org')
    answer = { responseCode: 451, message: 'come back later' }
    await sendAll()
    expect(await states()).toEqual(['waiting'])
    answer = { responseCode: 550, message: 'no such user' }
    await makeDue()
    await sendAll()
    expect(await states()).toEqual(['failed'])
  })

  it('is not sent once it was revoked, and has another link when it is sent again', async () => {
    const member = room.person()
    await invite(member, 'a@example.org')
    await sendAll()
    await room.call(resendInvite, member, {}, await idOf(member))
    await room.call(resendInvite, member, {}, await idOf(member))
    expect(await states()).toEqual(['sent', 'dropped', 'waiting'])
    await sendAll()
    const [first, second] = received.map(({ raw }) => /join\/([\w-]{32})\//.exec(decoded(raw))![1])
    expect(first).not.toBe(second)
    await room.call(resendInvite, member, {}, await idOf(member))
    const path = await idOf(member)
    for (const stranger of [room.person(), room.person('owner', 8)]) {
      for (const handler of [resendInvite, revokeInvite]) {
        expect(await refusal(room.call(handler, stranger, {}, path))).toMatchObject({
          code: 'BAD_REQUEST',
          message: 'No such invitation',
        })
      }
    }
    await room.call(revokeInvite, room.person('administrator'), {}, path)
    await sendAll()
    expect(await states()).toEqual(['sent', 'dropped', 'sent', 'dropped'])
    expect(await refusal(room.call(resendInvite, member, {}, path))).toMatchObject({ code: 'BAD_REQUEST' })
  })
})

describe('who cannot be invited', () => {
  it('is named with the reason: nobody is invited when an address is wrong, all others when one is superfluous', async () => {
    const member = room.person()
    const failure = { code: 'INVITATION_FAILED', daily_limit_reached: false, license_limit_reached: false }
    expect(await refusal(invite(member, 'a@example.org, nonsense, b@mailinator.com'))).toMatchObject({
      ...failure,
      sent_invitations: false,
      errors: [
        ['nonsense', expect.any(String), false],
        ['b@mailinator.com', expect.any(String), false],
      ],
    })
    expect(await states()).toEqual([])
    const nobody = room.answers['find-users']!
    room.answers['find-users'] = () => ({
      users: ['here@example.org', 'gone@example.org'].map((email) => ({
        ...{ id: 1, realm_id: 7, full_name: 'A', role: 400, bot_type: null, bot_owner_id: null, version: 1 },
        ...{ email, delivery_email: email, is_active: email.startsWith('here') },
        ...{ avatar_source: 'G', avatar_version: 1 },
      })),
    })
    const known = [
      ['Here@example.org', expect.any(String), false],
      ['gone@example.org', expect.any(String), true],
    ]
    expect(await refusal(invite(member, 'Here@example.org,gone@example.org'))).toMatchObject({
      ...failure,
      sent_invitations: false,
      errors: known,
    })
    expect(await refusal(invite(member, 'new@example.org,Here@example.org,gone@example.org'))).toMatchObject({
      ...failure,
      sent_invitations: true,
      errors: known,
    })
    expect(await states()).toEqual(['waiting'])
    expect(await refusal(invite(member, ' ,\n'))).toMatchObject({ code: 'BAD_REQUEST' })
    expect(await refusal(invite(room.person('guest'), 'a@example.org'))).toMatchObject({
      code: 'BAD_REQUEST',
    })
    expect(await refusal(invite(member, 'a@example.org', { invite_as: 200 }))).toMatchObject({
      code: 'BAD_REQUEST',
    })
    room.answers['find-users'] = nobody
  })

  it('an organization invites a bounded number a day, also when all of it invites at once', async () => {
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `p${from + index}@example.org`).join(',')
    const limit = {
      code: 'INVITATION_FAILED',
      sent_invitations: false,
      daily_limit_reached: true,
      errors: [],
    }
    expect(await refusal(invite(room.person(), many(0, 21)))).toMatchObject(limit)
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, index) => refusal(invite(room.person(), many(100 * index, 5)))),
    )
    expect(outcomes.filter((outcome) => outcome === 'accepted').length).toBe(4)
    expect(outcomes.find((outcome) => outcome !== 'accepted')).toMatchObject(limit)
    expect((await states()).length).toBe(20)
  })

  it('an address that wants no more gets none, by one click on what was mailed and by nothing else', async () => {
    const member = room.person()
    await invite(member, 'a@example.org')
    await sendAll()
    const [, link] = /^List-Unsubscribe:\s*<(.+?)>/m.exec(received[0]!.raw.replace(/\r\n\s+/g, ''))!
    const sent = Object.fromEntries(new URL(link!.replace(/\s/g, '')).searchParams)
    const nobody = { ...member, user: null }
    const statusOf = async (handler: Parameters<TestRoom['call']>[0], parameters: Record<string, string>) =>
      ((await room.call(handler, nobody, parameters)) as unknown as { status: number }).status
    expect(await statusOf(showUnsubscribing, sent)).toBe(200)
    expect(await statusOf(unsubscribe, { ...sent, email: 'b@example.org' })).toBe(404)
    expect(await statusOf(unsubscribe, { ...sent, key: 'x' })).toBe(404)
    expect(await refusal(invite(member, 'a@example.org'))).toBe('accepted')
    expect(await statusOf(unsubscribe, sent)).toBe(200)
    expect(await refusal(invite(member, 'A@example.org'))).toMatchObject({
      code: 'INVITATION_FAILED',
      errors: [['A@example.org', expect.any(String), false]],
    })
  })
})

it('in development mail is kept and shown, markup of strangers as text', async () => {
  const member = room.person()
  const before = room.answers['find-realm-by-id']!
  room.answers['find-realm-by-id'] = (input) => {
    const { realm } = before(input) as { realm: object }
    return { realm: { ...realm, name: '<b>Org</b>' } }
  }
  await invite(member, 'a@example.org')
  await sendAll(null)
  const { mails } = await room.call(listCapturedMail, { ...member, user: null })
  expect(mails).toMatchObject([{ to: 'a@example.org', text: expect.stringContaining('/join/') }])
  const shown = (await room.call(showCapturedMail, { ...member, user: null })) as unknown as {
    content: Buffer
  }
  expect(shown.content.toString()).toContain('&lt;b&gt;Org')
  expect(mails[0]!.html).not.toContain('<b>')
  expect((await room.call(listCapturedMail, room.person('owner', 8))).mails).toEqual([])
})
