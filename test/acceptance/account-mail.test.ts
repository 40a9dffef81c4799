import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Database, openDatabase } from '@parley/db'
import {
  EventReader,
  eventually,
  stackFromEnvironment,
  succeeded,
  type TestUser,
  World,
} from '@parley/testkit'
import { request } from 'undici'
import { beforeAll, expect, it } from 'vitest'

let world: World
let owner: TestUser
const password = 'umbrella giraffe tangent 9'
beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
})

/** A management command as an operator types it. */
const manage = async (...args: string[]): Promise<unknown> => {
  const { identityUrl, manageKey } = stackFromEnvironment()
  const { stdout } = await promisify(execFile)(process.execPath, ['deploy/manage/main.ts', ...args], {
    env: { ...process.env, IDENTITY_URL: identityUrl, SIGNING_KEY: manageKey },
  })
  return JSON.parse(stdout)
}
/** A page of the server, as a browser without scripts asks for it. */
const visit = async (path: string, form?: Record<string, string>) => {
  const answer = await request(`${world.stack.origin}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      host: world.host,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}
const mailTo = (address: string, subject: string): Promise<string> =>
  eventually(async () => {
    const { mails } = await succeeded(world.stranger().get('/captured_mail'))
    const mail = mails.find(
      (one: { to: string; subject: string }) => one.to === address && one.subject.includes(subject),
    )
    if (mail === undefined) throw new Error(`no mail to ${address} yet`)
    return mail.text
  })
const pathIn = (text: string) => /\/accounts\/\S+/.exec(text)![0]
const keyIn = (path: string) => path.split('/').at(-1)!
const logIn = async (username: string, sent = password) =>
  (await world.stranger().post('/fetch_api_key', { username, password: sent })).body

it('a person takes another address, which the mail there proves', async () => {
  const anna = await world.user({ email: 'anna@one.example' })
  const reader = await EventReader.register(owner, { event_types: ['realm_user'] })
  await succeeded(anna.patch('/settings', { email: 'anna@two.example', full_name: 'Annabel' }))
  expect((await anna.patch('/settings', { email: owner.email })).body.code).toBe('BAD_REQUEST')
  const path = pathIn(await mailTo('anna@two.example', 'Confirm'))
  expect((await visit(path)).text).toContain('anna@two.example')
  expect((await succeeded(anna.get('/users/me'))).email).toBe('anna@one.example')
  expect(await visit('/accounts/confirm_new_email', { key: keyIn(path) })).toMatchObject({ status: 200 })
  await reader.waitFor(({ person }) => person?.new_email === 'anna@two.example')
  await mailTo('anna@one.example', 'another address')
  expect(await visit('/accounts/confirm_new_email', { key: keyIn(path) })).toMatchObject({ status: 400 })
})

it('a password that an operator takes away is set again by mail', async () => {
  const ben = await world.user({ email: 'ben@one.example', password: 'first password 7' })
  expect(await logIn(ben.email, 'first password 7')).toMatchObject({ user_id: ben.id })
  const realm = ['--realm', world.subdomain]
  expect(await manage('require-password-reset', ...realm, '--email', ben.email)).toEqual({ accounts: 1 })
  expect(await logIn(ben.email, 'first password 7')).toMatchObject({ code: 'PASSWORD_RESET_REQUIRED' })
  expect((await visit('/accounts/password/reset')).text).toContain('form')
  expect(await visit('/accounts/password/reset', { email: 'BEN@one.example' })).toMatchObject({ status: 200 })
  const path = pathIn(await mailTo('ben@one.example', 'new password'))
  expect(await visit(path)).toMatchObject({ status: 200 })
  const set = (sent: string) => visit('/accounts/password/change', { key: keyIn(path), password: sent })
  expect(await set('password')).toMatchObject({ status: 400 })
  expect(await set(password)).toMatchObject({ status: 200 })
  expect(await logIn(ben.email)).toMatchObject({ user_id: ben.id })
})

it('an account that is ended leaves with words, and without its messages where that is wanted', async () => {
  const [carl, dora] = [await world.user({ email: 'carl@one.example' }), await world.user()]
  const sent = { type: 'direct', to: [dora.id], content: 'soon gone' }
  const { id } = await succeeded(carl.post('/messages', sent))
  const reader = await EventReader.register(dora, { event_types: ['delete_message'] })
  const wish = { deactivation_notification_comment: 'So long.', actions: { delete_direct_messages: true } }
  await succeeded(owner.delete(`/users/${carl.id}`, wish))
  expect(await mailTo('carl@one.example', 'deactivated')).toContain('So long.')
  expect(await reader.waitFor(({ type }) => type === 'delete_message')).toMatchObject({ message_id: id })
  expect((await dora.get(`/messages/${id}`)).body.code).toBe('BAD_REQUEST')
})

/** The database of channels that knows the world, among those of the server that the stack uses. */
const channelsDatabase = async (): Promise<Database> => {
  const adminUrl = process.env.DATABASE_URL!
  const open = (url: string) => openDatabase({ url, service: 'test', poolSize: 1 })
  const administrator = await open(adminUrl)
  const databases = await administrator.sql<{ name: string }[]>`
    SELECT datname AS name FROM pg_database WHERE datname LIKE '%\\_channels'`
  await administrator.close()
  for (const { name } of databases) {
    const database = await open(Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href)
    const known = await database.sql`SELECT FROM realms WHERE subdomain = ${world.subdomain}`
    if (known.count > 0) return database
    await database.close()
  }
  throw new Error('channels has no database that knows the organization')
}

it('copies that were damaged are right again after rebuild-projections', async () => {
  const eve = await world.user({ name: 'Eve' })
  const { id: group } = (await succeeded(owner.get('/user_groups'))).user_groups.find(
    ({ name }: { name: string }) => name === 'role:members',
  )
  const channels = await channelsDatabase()
  try {
    const copies = async () => [
      await channels.sql`SELECT full_name AS name FROM users WHERE id = ${eve.id}`,
      await channels.sql`SELECT name FROM user_groups WHERE id = ${group}`,
    ]
    const right = [[{ name: 'Eve' }], [{ name: 'role:members' }]]
    await eventually(async () => {
      expect(await copies()).toMatchObject(right)
    })
    await channels.sql`UPDATE users SET full_name = 'Mallory' WHERE id = ${eve.id}`
    await channels.sql`UPDATE user_groups SET name = 'damaged' WHERE id = ${group}`
    const { published } = (await manage('rebuild-projections', '--realm', world.subdomain)) as {
      published: Record<string, number>
    }
    expect(published).toMatchObject({ realms: 1, groups: 8 })
    await eventually(async () => {
      expect(await copies()).toMatchObject(right)
    })
  } finally {
    await channels.close()
  }
})
