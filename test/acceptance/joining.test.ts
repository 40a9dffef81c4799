import { randomBytes } from 'node:crypto'
import { Client, EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { request } from 'undici'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
const password = 'umbrella giraffe tangent 9'

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
})

/** A page of the server, as a browser without scripts asks for it. */
const visit = async (path: string, form?: Record<string, string>, headers: Record<string, string> = {}) => {
  const answer = await request(`${world.stack.origin}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      host: world.host,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
  })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}
const mailTo = (address: string): Promise<{ text: string; subject: string }> =>
  eventually(async () => {
    const { mails } = await succeeded(world.stranger().get('/captured_mail'))
    const mail = mails.find(({ to }: { to: string }) => to === address)
    if (mail === undefined) throw new Error(`no mail to ${address} yet`)
    return mail
  })
const keyIn = (text: string) => /\/join\/([\w-]{32})\//.exec(text)![1]!
const logIn = async (username: string) =>
  succeeded(world.stranger().post('/fetch_api_key', { username, password }))

describe('joining', () => {
  it('by a mailed invitation, on pages without scripts: account, channels, group, greeting, session', async () => {
    await succeeded(
      owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'hall' }], invite_only: true }),
    )
    const { streams } = await succeeded(owner.get('/streams', { include_all: 'true' }))
    const hall = streams.find(({ name }: { name: string }) => name === 'hall').stream_id
    const { group_id } = await succeeded(
      owner.post('/user_groups/create', { name: 'crew', description: '', members: [] }),
    )
    const reader = await EventReader.register(owner, { event_types: ['realm_user', 'invites_changed'] })
    await succeeded(
      owner.post('/invites', {
        invitee_emails: 'ada@example.org',
        stream_ids: [hall],
        group_ids: [group_id],
        invite_as: 300,
        welcome_message_custom_text: 'Greetings, **newcomer**',
      }),
    )
    const key = keyIn((await mailTo('ada@example.org')).text)
    expect((await visit('/emails')).text).toContain('ada@example.org')
    const page = await visit(`/join/${key}/`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('action="/accounts/register"')
    const weak = await visit('/accounts/register/', { key, full_name: 'Ada', password: 'password1' })
    expect([weak.status, weak.text.includes('too easy to guess')]).toEqual([400, true])
    const done = await visit('/accounts/register/', { key, full_name: 'Ada', password })
    expect(done.status).toBe(200)
    expect(done.headers['x-parley-session-user']).toBeUndefined()
    const cookie = [done.headers['set-cookie']!]
      .flat()
      .map((one) => one.split(';')[0])
      .join('; ')
    const own = await visit('/json/users/me', undefined, { cookie })
    expect(JSON.parse(own.text)).toMatchObject({
      full_name: 'Ada',
      role: 300,
      delivery_email: 'ada@example.org',
    })
    const { user_id } = JSON.parse(own.text)
    const told = await reader.waitFor(({ type, op }) => type === 'realm_user' && op === 'add')
    expect(told.person.user_id).toBe(user_id)

    const { api_key, email } = await logIn('ada@example.org')
    const ada = world.stranger({ email, key: api_key })
    const { subscriptions } = await succeeded(ada.get('/users/me/subscriptions'))
    expect(subscriptions.map(({ name }: { name: string }) => name)).toContain('hall')
    expect(await succeeded(ada.get(`/user_groups/${group_id}/members/${user_id}`))).toMatchObject({
      is_user_group_member: true,
    })
    await eventually(async () => {
      const { messages } = await succeeded(
        ada.get('/messages', { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false }),
      )
      expect(messages.map(({ content }: { content: string }) => content).join('\n')).toContain(
        'Greetings, **newcomer**',
      )
    })
    expect((await succeeded(owner.get('/invites'))).invites).toEqual([])
    expect((await visit(`/join/${key}/`)).status).toBe(400)
  })

  it('by a link through the API, with an address that is confirmed; a form of another site logs nobody in', async () => {
    const { invite_link } = await succeeded(owner.post('/invites/multiuse'))
    const anybody = world.stranger()
    const key = keyIn(invite_link)
    expect((await succeeded(anybody.get(`/join/${key}`))).email).toBeNull()
    await succeeded(anybody.post('/join/confirm', { key, email: 'grace@example.org' }))
    const confirmed = keyIn((await mailTo('grace@example.org')).text)
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        anybody.post('/join', { key: confirmed, full_name: 'Grace', password }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(99).fill(400)])
    const made = answers.find(({ status }) => status === 200)!
    expect(made.headers['set-cookie']).toBeDefined()
    expect((await logIn('grace@example.org')).user_id).toBe(made.body.user_id)
    expect((await anybody.post('/join', { key: confirmed, full_name: 'Grace', password })).body.code).toBe(
      'BAD_REQUEST',
    )

    await succeeded(anybody.post('/join/confirm', { key, email: 'alan@example.org' }))
    const foreign = await visit(
      '/accounts/register',
      { key: keyIn((await mailTo('alan@example.org')).text), full_name: 'Alan', password },
      { origin: 'http://evil.example' },
    )
    expect([foreign.status, foreign.headers['set-cookie']]).toEqual([200, undefined])
  })

  it('is refused with keys of another organization, and where nobody may join without an invitation', async () => {
    const elsewhere = await World.create()
    const other = await elsewhere.user({ role: 'owner' })
    const { invite_link } = await succeeded(other.post('/invites/multiuse'))
    const wrong = await world.stranger().get(`/join/${keyIn(invite_link)}`)
    expect([wrong.status, wrong.body.code]).toEqual([404, 'BAD_REQUEST'])
    expect((await visit(new URL(invite_link).pathname)).status).toBe(404)
    expect((await visit('/accounts/register/')).status).toBe(400)
    await succeeded(owner.patch('/realm', { invite_required: false }))
    await eventually(async () => expect((await visit('/accounts/register/')).status).toBe(200))
  })

  it('and accounts by the API keep to the allowed domains', async () => {
    const strict = await World.create()
    const boss = await strict.user({ role: 'owner' })
    await strict.ask((await import('@parley/contracts/identity/internals')).grantUserPermission, {
      realm: strict.subdomain,
      email: boss.email,
      permission: 'can_create_users',
      is_granted: true,
    })
    const add = async (email: string) =>
      (await boss.post('/users', { email, password, full_name: 'A' })).status
    expect(await add('a@mailinator.com')).toBe(400)
    await succeeded(boss.post('/realm/domains', { domain: 'corp.example', allow_subdomains: false }))
    await succeeded(boss.patch('/realm', { emails_restricted_to_domains: true }))
    expect([await add('a@corp.example'), await add('a@elsewhere.example')]).toEqual([200, 400])
  })

  it('somebody makes an organization in the browser, and is its owner', async () => {
    const root = { host: world.stack.host }
    const subdomain = `made-${randomBytes(4).toString('hex')}`
    const email = `${subdomain}@example.org`
    expect((await visit('/new/', undefined, root)).text).toContain('action="/new/"')
    // Elsewhere it says where.
    expect((await visit('/new/')).status).toBe(404)
    const taken = { realm_name: 'Taken', subdomain: world.subdomain, email }
    expect((await visit('/new/', taken, root)).status).toBe(400)
    const asked = await visit('/new/', { realm_name: 'Made & co', subdomain, email }, root)
    expect([asked.status, asked.text.includes(email)]).toEqual([200, true])
    const path = await eventually(async () => {
      const { text } = await visit('/emails', undefined, root)
      const found = text.split('<article>').find((mail) => mail.includes(email))
      return /\/new\/[\w-]{32}\//.exec(found ?? '')![0]
    })
    expect((await visit(path, undefined, root)).text).toContain('Create Made &amp; co')
    expect((await visit(path, { full_name: 'Ada', password: 'password1' }, root)).status).toBe(400)
    const done = await visit(path, { full_name: 'Ada', password }, root)
    expect([done.status, done.text.includes(`//${subdomain}.`)]).toEqual([200, true])
    expect((await visit(path, { full_name: 'Ada', password }, root)).status).toBe(400)

    const host = `${subdomain}.${world.stack.host}`
    const client = new Client(world.stack.origin, host)
    const { api_key } = await succeeded(client.post('/fetch_api_key', { username: email, password }))
    const owner = new Client(world.stack.origin, host, { email, key: api_key })
    expect(await succeeded(owner.get('/users/me'))).toMatchObject({ role: 100, full_name: 'Ada' })
    expect((await succeeded(client.get('/server_settings'))).realm_name).toBe('Made & co')
  })
})
