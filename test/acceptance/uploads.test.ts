import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Client, EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { request } from 'undici'
import { beforeAll, describe, expect, it } from 'vitest'
import { pythonWithClients } from '../running/python-clients.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { uploadResumably } from './resumable-client.ts'

let world: World
let ada: TestUser
let bob: TestUser
let cyd: TestUser

beforeAll(async () => {
  world = await World.create()
  ada = await world.user()
  bob = await world.user()
  cyd = await world.user()
})

const mib = 1024 * 1024

const sendForm = async (as: Client, path: string, name: string, content: Buffer | string, type = '') => {
  const form = new FormData()
  form.append('any', new Blob([content], { type }), name)
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type')! }
  return as.send('POST', path, Buffer.from(await encoded.arrayBuffer()), headers)
}
const upload = async (as: Client, name: string, content: Buffer | string): Promise<string> =>
  (await succeeded(sendForm(as, '/user_uploads', name, content))).url

const bytesFor = async (as: Client, url: string) => {
  const { email, key } = as.credentials ?? { email: '', key: '' }
  const answer = await request(`${world.stack.origin}${encodeURI(url)}`, {
    headers: {
      host: as.host,
      ...(email === ''
        ? {}
        : { authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` }),
    },
  })
  return { status: answer.statusCode, content: Buffer.from(await answer.body.arrayBuffer()) }
}
const statusFor = async (as: Client, url: string) => (await bytesFor(as, url)).status
const direct = (from: Client, to: TestUser, content: string) =>
  succeeded(from.post('/messages', { type: 'direct', to: [to.id], content }))

describe('who may have a file', () => {
  it('is known at once, whatever is done to a message', async () => {
    const dee = await world.user()
    const states: number[] = []
    for (let n = 0; n < 5; n += 1) {
      const url = await upload(dee, `once ${n}.txt`, 'secret')
      const { id } = await direct(dee, bob, `[it](${url})`)
      states.push(await statusFor(bob, url))
      await succeeded(dee.patch(`/messages/${id}`, { content: 'no' }))
      states.push(await statusFor(bob, url))
      await succeeded(dee.patch(`/messages/${id}`, { content: `[it](${url}) again` }))
      states.push(await statusFor(bob, url))
      await succeeded(dee.delete(`/messages/${id}`))
      states.push(await statusFor(bob, url))
    }
    expect(states).toEqual(Array(5).fill([200, 404, 200, 404]).flat())
  })

  it('follows the messages that refer to it, through sending, editing and deleting; its uploader hears of it', async () => {
    const reader = await EventReader.register(ada, { event_types: ['attachment'] })
    const stranger = await EventReader.register(bob, { event_types: ['attachment'] })
    const url = await upload(ada, 'né report.txt', 'secret')
    const path_id = url.slice('/user_uploads/'.length)
    const added = await reader.waitFor(({ op }) => op === 'add')
    expect(added).toMatchObject({
      type: 'attachment',
      attachment: { name: 'né report.txt', path_id, size: 6, message_ids: [] },
      upload_space_used: expect.any(Number),
    })
    expect(Object.keys(added.attachment).sort()).toEqual(
      ['id', 'name', 'path_id', 'size', 'create_time', 'message_ids'].sort(),
    )
    expect([await statusFor(ada, url), await statusFor(bob, url)]).toEqual([200, 404])
    expect(await statusFor(world.stranger(), url)).toBe(403)

    const sent = await direct(ada, bob, `[report](${url})`)
    const claimed = await reader.waitFor(({ op }) => op === 'update')
    expect(claimed.attachment.message_ids).toEqual([sent.id])
    expect([await statusFor(bob, url), await statusFor(cyd, url)]).toEqual([200, 404])
    // Whoever may have it may pass it on, and its uploader hears of that too.
    const copied = await direct(bob, cyd, `[again](${url})`)
    const both = await reader.waitFor(({ attachment }) => attachment.message_ids?.length === 2)
    expect(both.attachment.message_ids).toEqual([sent.id, copied.id])
    expect(await statusFor(cyd, url)).toBe(200)

    await succeeded(bob.patch(`/messages/${copied.id}`, { content: 'never mind' }))
    expect(await statusFor(cyd, url)).toBe(404)
    await succeeded(ada.delete(`/messages/${sent.id}`)).catch(async () => {
      // Deleting may be for administrators: then the reference is taken out.
      await succeeded(ada.patch(`/messages/${sent.id}`, { content: 'gone' }))
    })
    expect(await statusFor(bob, url)).toBe(404)
    const none = await reader.waitFor(
      ({ op, attachment }) => op === 'update' && attachment.message_ids.length === 0,
    )
    expect(none.attachment.id).toBe(added.attachment.id)
    const { attachments } = await succeeded(ada.get('/attachments'))
    expect(attachments).toMatchObject([{ id: added.attachment.id, message_ids: [] }])
    await succeeded(ada.delete(`/attachments/${added.attachment.id}`))
    await reader.waitFor(({ op, attachment }) => op === 'remove' && attachment.id === added.attachment.id)
    expect(await statusFor(ada, url)).toBe(404)
    await stranger.poll({ dont_block: true })
    expect(stranger.received).toEqual([])
  })
})

/** One pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('pictures', () => {
  it('of an account: set and taken away, with the same event and address wherever it is told', async () => {
    const reader = await EventReader.register(bob, { event_types: ['realm_user'], client_gravatar: false })
    const { avatar_url } = await succeeded(sendForm(ada, '/users/me/avatar', 'me.png', pixel))
    const { person } = await reader.waitFor(({ person }) => person?.avatar_source === 'U')
    expect(person).toEqual({
      user_id: ada.id,
      avatar_url,
      avatar_source: 'U',
      avatar_url_medium: avatar_url.replace('.png', '-medium.png'),
      avatar_version: person.avatar_version,
    })
    const own = await succeeded(ada.get('/users/me'))
    expect([own.avatar_url, own.avatar_version]).toEqual([avatar_url, person.avatar_version])
    for (const address of [person.avatar_url, person.avatar_url_medium]) {
      const { status, content } = await bytesFor(world.stranger(), address)
      expect([status, content.subarray(1, 4).toString()]).toEqual([200, 'PNG'])
    }
    const led = await world.stranger().sendRaw('GET', `/avatar/${ada.id}/medium`)
    expect([led.status, led.headers.location]).toEqual([302, person.avatar_url_medium])
    const bad = await sendForm(ada, '/users/me/avatar', 'me.png', '<svg/>')
    expect([bad.status, bad.body.code]).toEqual([400, 'BAD_IMAGE'])
    const gone = await succeeded(ada.delete('/users/me/avatar'))
    const back = await reader.waitFor(({ person }) => person?.avatar_source !== 'U')
    expect(back.person.avatar_url).toBe(gone.avatar_url)
    // Once more is no change, and no event.
    expect((await succeeded(ada.delete('/users/me/avatar'))).avatar_url).toBe(gone.avatar_url)
    await succeeded(sendForm(ada, '/users/me/avatar', 'me.png', pixel))
    await reader.waitFor(({ person }) => person?.avatar_version > back.person.avatar_version)
    expect(reader.received.filter(({ person }) => person?.avatar_source !== 'U')).toHaveLength(1)
  })

  it('of the organization: icon and logos, in the state, in events, and where clients look before log-in', async () => {
    const admin = await world.user({ role: 'administrator' })
    const reader = await EventReader.register(bob, { event_types: ['realm'] })
    expect(reader.state).toMatchObject({
      realm_icon_source: 'G',
      realm_logo_source: 'D',
      realm_night_logo_source: 'D',
    })
    const refused = await sendForm(bob, '/realm/icon', 'i.png', pixel)
    expect([refused.status, refused.body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL'])
    const { icon_url } = await succeeded(sendForm(admin, '/realm/icon', 'i.png', pixel))
    const told = await reader.waitFor(({ data }) => data?.icon_url !== undefined)
    expect(told).toMatchObject({
      type: 'realm',
      op: 'update_dict',
      property: 'default',
      data: { icon_url, icon_source: 'U' },
    })
    expect((await bytesFor(world.stranger(), icon_url)).status).toBe(200)
    expect((await succeeded(world.stranger().get('/server_settings'))).realm_icon).toBe(icon_url)
    await succeeded(sendForm(admin, '/realm/logo?night=true', 'l.png', pixel))
    const night = await reader.waitFor(({ data }) => data?.night_logo_url !== undefined)
    expect(night.data).toEqual({
      night_logo_url: expect.stringContaining('night_logo.png'),
      night_logo_source: 'U',
    })
    const state = await succeeded(bob.post('/register', { event_types: ['realm'] }))
    expect(state).toMatchObject({
      realm_icon_url: icon_url,
      realm_icon_source: 'U',
      realm_logo_source: 'D',
      realm_night_logo_url: night.data.night_logo_url,
      realm_night_logo_source: 'U',
    })
    expect(state.server_thumbnail_formats).toContainEqual({
      name: '840x560.webp',
      max_width: 840,
      max_height: 560,
      format: 'webp',
      animated: false,
    })
    await succeeded(admin.delete('/realm/icon'))
    const back = await reader.waitFor(({ data }) => data?.icon_source === 'G')
    expect(back.data.icon_url).toBe(reader.state.realm_icon_url)
  })

  it('that became custom emoji are in the next message, and not once they are gone', async () => {
    const shown: boolean[] = []
    const show = async () =>
      (await succeeded(ada.post('/messages/render', { content: ':once_more:' }))).rendered
    for (let n = 0; n < 4; n += 1) {
      await succeeded(sendForm(ada, '/realm/emoji/once_more', 'e.png', pixel))
      shown.push((await show()).includes('<img'))
      await succeeded(ada.delete('/realm/emoji/once_more'))
      shown.push((await show()).includes('<img'))
    }
    expect(shown).toEqual(Array(4).fill([true, false]).flat())
  })

  it('in messages are shown small, for whoever may read the message', async () => {
    const url = await upload(ada, 'a dot.png', pixel)
    const sent = await direct(ada, bob, `[dot](${url})`)
    const { message } = await succeeded(bob.get(`/messages/${sent.id}`))
    const small = `${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`
    expect(message.content).toContain(`src="${small}"`)
    expect(message.content).toContain('data-original-dimensions="1x1"')
    expect(await statusFor(bob, small)).toBe(200)
    expect([await statusFor(cyd, small), await statusFor(world.stranger(), small)]).toEqual([404, 403])
    // Nothing of a picture is told to whoever only knows its address.
    const guess = await direct(cyd, bob, `[dot](${url})`)
    expect((await succeeded(bob.get(`/messages/${guess.id}`))).message.content).not.toContain('1x1')
    const { detached_uploads } = await succeeded(ada.patch(`/messages/${sent.id}`, { content: 'no dot' }))
    expect(detached_uploads).toMatchObject([{ path_id: url.slice('/user_uploads/'.length), message_ids: [] }])
  })
})

it('whoever looks on has the files of web-public channels, and of no others', async () => {
  const own = await World.create()
  const owner = await own.user({ role: 'owner' })
  await succeeded(owner.patch('/realm', { enable_spectator_access: true }))
  const [shown, hidden] = [await upload(owner, 's.txt', 'shown'), await upload(owner, 'h.txt', 'hidden')]
  for (const [name, is_web_public, url] of [
    ['open', true, shown],
    ['closed', false, hidden],
  ] as const) {
    await succeeded(owner.post('/channels/create', { name, subscribers: [owner.id], is_web_public }))
    await succeeded(owner.post('/messages', { type: 'stream', to: name, topic: 't', content: `[f](${url})` }))
  }
  const stranger = own.stranger()
  expect(await statusFor(stranger, shown)).toBe(200)
  expect(await statusFor(stranger, hidden)).toBe(403)
  await succeeded(owner.patch('/realm', { enable_spectator_access: false }))
  expect(await statusFor(stranger, shown)).toBe(403)
})

describe('resumable uploads', () => {
  it('by session need the CSRF token, and are found by nobody else', async () => {
    const admin = await world.user({ role: 'administrator' })
    const login = await world
      .stranger()
      .sendRaw('POST', '/api/v1/dev_fetch_api_key', `username=${encodeURIComponent(admin.email)}`, {
        'content-type': 'application/x-www-form-urlencoded',
      })
    const cookies = [login.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0]!)
    const token = cookies.find((cookie) => cookie.startsWith('csrftoken='))!.slice('csrftoken='.length)
    const headers = { cookie: cookies.join('; '), 'tus-resumable': '1.0.0', 'upload-length': '3' }
    const nobody = world.stranger()
    const refused = await nobody.send('POST', '/tus', '', headers)
    expect([refused.status, refused.body.code]).toEqual([403, 'CSRF_FAILED'])
    const made = await nobody.sendRaw('POST', '/api/v1/tus/', '', { ...headers, 'x-csrftoken': token })
    expect(made.status).toBe(201)
    const location = String(made.headers.location)
    const piece = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    }
    expect((await bob.sendRaw('PATCH', location, 'abc', piece)).status).toBe(404)
    expect((await nobody.sendRaw('PATCH', location, 'abc', piece)).status).toBe(401)
    const done = await admin.sendRaw('PATCH', location, 'abc', piece)
    expect([done.status, JSON.parse(done.text)]).toMatchObject([200, { result: 'success' }])
    expect((await bytesFor(admin, JSON.parse(done.text).url)).content.toString()).toBe('abc')
    const described = await nobody.sendRaw('OPTIONS', '/api/v1/tus')
    expect([described.status, described.headers['tus-version']]).toEqual([204, '1.0.0'])
  })

  it('tus-js-client: over a line that breaks at random, whole, in chunks, and in parallel', async () => {
    const content = randomBytes(12 * mib + 77)
    for (const wishes of [{}, { chunkSize: 2 * mib + 5 }, { parallel: 3 }]) {
      const proxy = await cuttingProxy(world.stack.origin, { cuts: 4, within: 1.5 * mib })
      try {
        const { url } = await uploadResumably(ada, content, {
          origin: proxy.origin,
          name: 'from js.bin',
          ...wishes,
        })
        expect(proxy.cuts).toBe(4)
        expect((await bytesFor(ada, url)).content.equals(content)).toBe(true)
      } finally {
        await proxy.close()
      }
    }
  })

  it('the Python client: over a line that breaks at random, with checksums and without', async () => {
    const python = await pythonWithClients()
    const folder = await mkdtemp(join(tmpdir(), 'parley-tus-'))
    const content = randomBytes(10 * mib + 3)
    const file = join(folder, 'content')
    await writeFile(file, content)
    const script = new URL('clients/upload-resumably.py', import.meta.url).pathname
    for (const checksums of ['no', 'yes']) {
      const proxy = await cuttingProxy(world.stack.origin, { cuts: 3, within: 3 * mib })
      try {
        const { email, key } = ada.credentials!
        const args = [script, proxy.origin, ada.host, email, key, file, checksums]
        const { stdout } = await promisify(execFile)(python, args)
        const { offset, answer } = JSON.parse(stdout)
        expect([offset, answer.filename]).toEqual([content.length, 'from python.bin'])
        expect((await bytesFor(ada, answer.url)).content.equals(content)).toBe(true)
      } finally {
        await proxy.close()
      }
    }
    await rm(folder, { recursive: true })
  })
})
