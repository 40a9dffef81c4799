import type { KnownCaller } from '@parley/contracts'
import type { StreamedReply } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { claimMails } from '../mail/mail-store.ts'
import { sendMail } from '../mail/send-mail.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { confirmNewAddress, showNewAddress } from './new-address-pages.ts'
import { mailDeparture } from './on-departure.ts'
import { askForPasswordReset, setNewPassword, showNewPassword } from './password-pages.ts'
import { proveNewAddress } from './prove-new-address.ts'

let room: TestRoom
let caller: KnownCaller
/** What identity was asked to do. */
let done: Record<string, unknown>[]
const note = (input: Record<string, unknown>) => {
  done.push(input)
  return {}
}
beforeAll(async () => {
  room = await openTestRoom()
  caller = room.person()
})
afterAll(() => room.close())
beforeEach(async () => {
  await room.deps.database.sql`TRUNCATE account_links, mails`
  done = []
  Object.assign(room.answers, {
    'take-new-address': (input: Record<string, unknown>) => note(input),
    'set-password': (input: Record<string, unknown>) => note(input),
    'find-password-holder': ({ email }: { email: string }) => ({
      user: email === 'ada@a.example' ? { id: 5, delivery_email: email } : null,
    }),
  })
})

const stranger = () => ({ ...caller, user: null })
const emails = { old_email: 'ada@a.example', new_email: 'new@a.example' }
const prove = () =>
  proveNewAddress.handle({
    input: { realm_id: caller.realm.id, user_id: 5, ...emails },
    deps: room.deps,
    refuse: (code: string, message: string) => Object.assign(new Error(message), { code }),
    transaction: (work: never) => room.deps.database.transaction(work),
  } as never)
/** Sends what waits; the newest text to an address. */
const mailTo = async (address: string): Promise<string | undefined> => {
  const { ask, database, keys, publicUrl, log } = room.deps
  for (const mail of await claimMails(database.sql, 50)) {
    await sendMail({ ask, database, keys, publicUrl, log, transport: null }, mail)
  }
  const [row] = await database.sql<{ text: string }[]>`
    SELECT content ->> 'text' AS text FROM mails
    WHERE state = 'captured' AND recipient = ${address} ORDER BY id DESC LIMIT 1`
  return row?.text
}
const keyIn = (text: string | undefined) => /\/(?:confirm_new_email|reset)\/([\w-]{32})/.exec(text!)![1]!
const shown = async (reply: Promise<unknown>) => {
  const { status, content } = (await reply) as StreamedReply
  return { status, text: String(content) }
}

it('a new address is taken by the link that was mailed there, once, and told to the old one', async () => {
  await prove()
  const key = keyIn(await mailTo('new@a.example'))
  expect(done).toEqual([])
  const page = await shown(room.call(showNewAddress, stranger(), {}, { key }))
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('new@a.example') })
  expect(done).toEqual([])
  expect(await shown(room.call(confirmNewAddress, stranger(), { key }))).toMatchObject({ status: 200 })
  expect(done).toEqual([{ realm_id: caller.realm.id, user_id: 5, ...emails }])
  expect(await mailTo('ada@a.example')).toContain('has the e-mail address new@a.example now')
  expect(await shown(room.call(confirmNewAddress, stranger(), { key }))).toMatchObject({ status: 400 })
  expect(done).toHaveLength(1)
})

it('links are worth nothing elsewhere, made up, replaced, or too old; an address gets only so many', async () => {
  await prove()
  const first = keyIn(await mailTo('new@a.example'))
  await prove()
  const key = keyIn(await mailTo('new@a.example'))
  const elsewhere = { ...stranger(), realm: { ...caller.realm, id: caller.realm.id + 1 } }
  const tries = [
    [stranger(), first, 400],
    [elsewhere, key, 404],
    [stranger(), `${key.slice(1)}x`, 404],
  ] as const
  for (const [who, sent, status] of tries) {
    expect(await shown(room.call(confirmNewAddress, who, { key: sent }))).toMatchObject({ status })
    expect(await shown(room.call(setNewPassword, who, { key: sent, password: 'x' }))).toMatchObject({
      status: 404,
    })
  }
  await room.deps.database.sql`UPDATE account_links SET expires_at = now()`
  expect(await shown(room.call(confirmNewAddress, stranger(), { key }))).toMatchObject({ status: 400 })
  expect(done).toEqual([])
  await prove()
  await expect(prove()).rejects.toThrow('several mails')
})

it('a password is set by the link that was mailed; who has no account is told the same', async () => {
  const ask = (email: string) => shown(room.call(askForPasswordReset, stranger(), { email }))
  const known = await ask('ada@a.example')
  const unknown = await ask('eve@a.example')
  expect(unknown.text.replaceAll('eve@', 'ada@')).toBe(known.text)
  expect(await mailTo('eve@a.example')).toBeUndefined()
  const key = keyIn(await mailTo('ada@a.example'))
  expect((await shown(room.call(showNewPassword, stranger(), {}, { key }))).status).toBe(200)
  const password = 'umbrella giraffe tangent 9'
  expect((await shown(room.call(setNewPassword, stranger(), { key, password }))).status).toBe(200)
  expect(done).toEqual([{ realm_id: caller.realm.id, user_id: 5, email: 'ada@a.example', password }])
  expect((await shown(room.call(setNewPassword, stranger(), { key, password }))).status).toBe(400)
})

it('who was deactivated hears it with the administrators’ words, as text', async () => {
  const { sql } = room.deps.database
  const fact = { realm_id: caller.realm.id, user_id: 5, email: 'ada@a.example', deletes_messages: [] }
  await mailDeparture(sql, { ...fact, comment: null })
  expect(await mailTo('ada@a.example')).toBeUndefined()
  await mailDeparture(sql, { ...fact, comment: '<b>Thank you</b>' })
  expect(await mailTo('ada@a.example')).toContain('<b>Thank you</b>')
  const [{ html }] = await sql<
    [{ html: string }]
  >`SELECT content ->> 'html' AS html FROM mails ORDER BY id DESC`
  expect(html).toContain('&lt;b&gt;Thank you')
})
