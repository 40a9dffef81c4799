import { EngineUnavailableError, noRealm, refuse } from '@parley/contracts'
import { foundRealm } from '@parley/contracts/identity/founding'
import { createRealm } from '@parley/contracts/identity/internals'
import { baseConfig } from '@parley/kit/config'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { config } from '../config.ts'
import { claimMails } from '../mail/mail-store.ts'
import { sendMail } from '../mail/send-mail.ts'
import { type Answers, openTestRoom, type TestRoom } from '../test-room.ts'
import { resumeFounding } from './found.ts'
import { askForNewRealm, foundNewRealm, showFounderPage, showNewRealmPage } from './founding-pages.ts'
import { isFoundingOpen } from './founding-rules.ts'
import { forgetFoundings, takeFoundings } from './founding-store.ts'

let room: TestRoom
let standard: Answers
/** Organizations that identity made, by the name of the founding. */
let realms: Map<string, Record<string, unknown>>

beforeAll(async () => {
  room = await openTestRoom()
  standard = { ...room.answers }
})
afterAll(() => room.close())
beforeEach(async () => {
  await room.deps.database.sql`TRUNCATE foundings, mails`
  realms = new Map()
  Object.assign(room.answers, standard, {
    'judge-founding': ({ subdomain, realm_name, founder }: Record<string, unknown>) => ({
      subdomain: String(subdomain).trim().toLowerCase(),
      realm_name,
      password_hash: founder === null ? null : '$argon2id$test',
    }),
    'found-realm': ({ name, ...wish }: { name: string }) => {
      realms.set(name, wish)
      return { realm_id: 9, user_id: 500, url: 'http://acme.chat.example' }
    },
  })
})

const root = (deps: Partial<TestRoom['deps']> = {}, subdomain = '') => {
  Object.assign(room.deps, { isFoundingOpen: true, ...deps })
  return { realm: { id: noRealm, subdomain, url: 'http://chat.example' }, user: null, client: 'test' }
}
const visit = async (
  handler: Parameters<TestRoom['call']>[0],
  sent: Record<string, unknown> = {},
  path: Record<string, string> = {},
  caller = root(),
) => {
  const answer = (await room.call(handler, caller, sent, path)) as unknown as {
    status: number
    content: Buffer
  }
  return { status: answer.status, text: answer.content.toString() }
}
const wish = { realm_name: 'Acme', subdomain: 'Acme', email: 'ada@example.org' }
const founder = { full_name: ' Ada ', password: 'correct horse battery' }
const mailed = async (): Promise<string[]> => {
  const { ask, database, keys, publicUrl, log } = room.deps
  for (const mail of await claimMails(database.sql, 50)) {
    await sendMail({ ask, database, keys, publicUrl, log, transport: null }, mail)
  }
  const rows = await database.sql<{ text: string }[]>`
    SELECT content ->> 'text' AS text FROM mails WHERE state = 'captured' ORDER BY id`
  return rows.map(({ text }) => /http:\/\/chat\.example\/new\/([\w-]{32})\//.exec(text)![1]!)
}
const mailedKey = async (): Promise<string> => {
  expect((await visit(askForNewRealm, wish)).status).toBe(200)
  return (await mailed())[0]!
}

it('an organization is made with the link that was mailed, once', async () => {
  expect((await visit(showNewRealmPage)).text).toContain('action="/new/"')
  const key = await mailedKey()
  const page = await visit(showFounderPage, {}, { key })
  expect([page.status, page.text.includes('value="ada@example.org"')]).toEqual([200, true])
  const answers = await Promise.all(Array.from({ length: 20 }, () => visit(foundNewRealm, founder, { key })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)])
  expect(answers.find(({ status }) => status === 200)!.text).toContain('href="http://acme.chat.example"')
  expect([...realms.values()]).toEqual([
    {
      subdomain: 'acme',
      realm_name: 'Acme',
      founder: { email: 'ada@example.org', full_name: 'Ada', password_hash: '$argon2id$test' },
    },
  ])
  expect((await visit(showFounderPage, {}, { key })).status).toBe(400)
  expect(await room.deps.database.sql`SELECT state, password_hash FROM foundings`).toEqual([
    { state: 'done', password_hash: null },
  ])
})

it.each([false, true])('goes on when identity died, having made the organization: %s', async (hasEffect) => {
  const key = await mailedKey()
  const whole = room.answers['found-realm']!
  room.answers['found-realm'] = (input) => {
    if (hasEffect) whole(input)
    throw new EngineUnavailableError('identity')
  }
  await expect(visit(foundNewRealm, founder, { key })).rejects.toThrow(EngineUnavailableError)
  const { ask, database, log } = room.deps
  const resume = async () => {
    await database.sql`UPDATE foundings SET due_at = now() WHERE state = 'claimed'`
    for (const founding of await takeFoundings(database.sql, 10)) {
      await resumeFounding({ ask, database, log }, founding)
    }
  }
  await resume()
  room.answers['found-realm'] = whole
  await resume()
  expect(realms.size).toBe(1)
  expect(await database.sql`SELECT state FROM foundings`).toEqual([{ state: 'done' }])
})

it('the link is good again when the organization could not be made, and no more after its time', async () => {
  const key = await mailedKey()
  const whole = room.answers['found-realm']!
  room.answers['found-realm'] = () => {
    throw refuse('BAD_REQUEST', 'taken')
  }
  const refused = await visit(foundNewRealm, { ...founder, full_name: '"><b>' }, { key })
  expect([refused.status, refused.text.includes('value="&quot;&gt;&lt;b&gt;"')]).toEqual([400, true])
  room.answers['found-realm'] = whole
  await room.deps.database.sql`UPDATE foundings SET expires_at = now()`
  expect((await visit(foundNewRealm, founder, { key })).text).toContain('has expired')
  await room.deps.database.sql`UPDATE foundings SET expires_at = now() + interval '1 h'`
  expect((await visit(foundNewRealm, founder, { key })).status).toBe(200)

  const { sql } = room.deps.database
  expect(await forgetFoundings(sql, 10)).toBe(0)
  await sql`UPDATE foundings SET expires_at = now() - interval '4 days'`
  expect(await forgetFoundings(sql, 10)).toBe(1)
})

it('is refused at names of the server, with addresses that are none, with keys that are none, and in numbers', async () => {
  for (const wrong of [
    { subdomain: '' },
    { subdomain: 'ab' },
    { subdomain: 'API' },
    { email: 'nobody' },
    { email: 'a@mailinator.com' },
  ]) {
    const { status, text } = await visit(askForNewRealm, { ...wish, ...wrong })
    expect([status, text.includes('role="alert"'), text.includes('<form')]).toEqual([400, true, true])
  }
  for (const key of ['x', 'x'.repeat(10_000), room.deps.keys.show(7, Buffer.alloc(16))]) {
    expect((await visit(foundNewRealm, founder, { key })).status).toBe(404)
  }
  for (let more = 0; more < 5; more += 1) await visit(askForNewRealm, { ...wish, subdomain: `acme${more}` })
  expect((await mailed()).length).toBe(3)
})

it('is made at the root host only, and nowhere on a server that is closed', async () => {
  const key = await mailedKey()
  const pages = [
    [showNewRealmPage, {}, {}],
    [askForNewRealm, wish, {}],
    [showFounderPage, {}, { key }],
    [foundNewRealm, founder, { key }],
  ] as const
  for (const [handler, sent, path] of pages) {
    expect((await visit(handler, sent, path, root({}, 'o7'))).status).toBe(404)
    expect((await visit(handler, sent, path, root({ isFoundingOpen: false }))).status).toBe(403)
  }
  expect([realms.size, (await mailed()).length]).toEqual([0, 1])
})

it('is closed unless in development, or where an operator says otherwise; and no call of the interface makes one', () => {
  const { OPEN_REALM_CREATION } = config.shape
  const settings = z.object({ MODE: baseConfig.shape.MODE, OPEN_REALM_CREATION })
  for (const [environment, isOpen] of [
    [{}, false],
    [{ MODE: 'production' }, false],
    [{ MODE: 'production', OPEN_REALM_CREATION: 'on' }, true],
    [{ MODE: 'development' }, true],
    [{ MODE: 'development', OPEN_REALM_CREATION: 'off' }, false],
  ] as const)
    expect([environment, isFoundingOpen(settings.parse(environment))]).toEqual([environment, isOpen])
  // By operators, and by these pages.
  expect([createRealm.callers, foundRealm.callers]).toEqual([['manage'], ['invitations']])
})
