import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { FormData, request } from 'undici'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let admin: TestUser
let ada: TestUser
let ben: TestUser
let guest: TestUser

beforeAll(async () => {
  world = await World.create()
  admin = await world.user({ role: 'administrator' })
  ada = await world.user({ name: 'Ada' })
  ben = await world.user({ name: 'Ben' })
  guest = await world.user({ role: 'guest' })
})

/** A picture. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const statusOf = async (reader: TestUser, user: { id: number }) =>
  (await succeeded(reader.get(`/users/${user.id}/status`))).status

describe('a status', () => {
  it('is what its owner set, and changes part by part', async () => {
    expect(await statusOf(ben, ada)).toEqual({})
    await succeeded(ada.post('/users/me/status', { status_text: '  On holiday ' }))
    expect(await statusOf(ben, ada)).toEqual({ status_text: 'On holiday' })
    await succeeded(ada.post('/users/me/status', { emoji_name: 'palm_tree' }))
    expect(await statusOf(guest, ada)).toEqual({
      status_text: 'On holiday',
      emoji_name: 'palm_tree',
      emoji_code: '1f334',
      reaction_type: 'unicode_emoji',
    })
    await succeeded(ada.post('/users/me/status', { status_text: '' }))
    expect(Object.keys(await statusOf(ben, ada))).toEqual(['emoji_name', 'emoji_code', 'reaction_type'])
    await succeeded(ada.post('/users/me/status', { emoji_name: '' }))
    expect(await statusOf(ben, ada)).toEqual({})
  })

  it('may be 60 characters long', async () => {
    await succeeded(ben.post('/users/me/status', { status_text: '🌴'.repeat(60) }))
    const { status, body } = await ben.post('/users/me/status', { status_text: 'x'.repeat(61) })
    expect(status).toBe(400)
    expect(body.msg).toBe('status_text is too long (limit: 60 characters)')
  })

  it('takes real emoji only', async () => {
    const cases: [Record<string, string>, string][] = [
      [{}, 'Client did not pass any new values.'],
      [
        { emoji_code: '1f334' },
        'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
      ],
      [
        { status_text: 'a', reaction_type: 'unicode_emoji' },
        'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
      ],
      [{ emoji_name: 'no_such_thing' }, "Emoji 'no_such_thing' does not exist"],
      [{ emoji_name: 'palm_tree', emoji_code: 'ffff' }, 'Invalid emoji code.'],
      [{ emoji_name: 'tada', emoji_code: '1f334' }, 'Invalid emoji name.'],
      [{ emoji_name: 'palm_tree', reaction_type: 'sticker' }, 'Invalid emoji type.'],
      [{ emoji_name: 'mine', emoji_code: '1', reaction_type: 'realm_emoji' }, 'Invalid custom emoji.'],
    ]
    for (const [sent, msg] of cases) {
      const { status, body } = await ada.post('/users/me/status', sent)
      expect([status, body.code, body.msg]).toEqual([400, 'BAD_REQUEST', msg])
    }
    await succeeded(ada.post('/users/me/status', { emoji_name: 'zulip', reaction_type: 'zulip_extra_emoji' }))
    expect(await statusOf(ben, ada)).toMatchObject({
      emoji_code: 'zulip',
      reaction_type: 'zulip_extra_emoji',
    })
  })

  it("may have an emoji of the organization's own, at once and until it is deactivated", async () => {
    const name = `party_${world.subdomain}`
    const form = new FormData()
    form.append('file', new Blob([onePixel], { type: 'image/png' }), 'party.png')
    const { email, key } = admin.credentials!
    const added = await request(`${world.stack.origin}/api/v1/realm/emoji/${name}`, {
      method: 'POST',
      headers: {
        host: world.host,
        authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
      },
      body: form,
    })
    expect(await added.body.json()).toMatchObject({ result: 'success' })
    await succeeded(ben.post('/users/me/status', { emoji_name: name }))
    const { emoji } = await succeeded(ben.get('/realm/emoji'))
    const [id] = Object.keys(emoji)
    const shown = { emoji_name: name, emoji_code: id, reaction_type: 'realm_emoji' }
    expect(await statusOf(ada, ben)).toEqual(expect.objectContaining(shown))
    const refused = async (sent: object, user = ben) =>
      (await user.post('/users/me/status', { ...shown, ...sent })).body.msg
    expect(await refused({ emoji_name: 'other' })).toBe('Invalid custom emoji name.')
    const foreigner = await (await World.create()).user()
    expect(await refused({}, foreigner)).toBe('Invalid custom emoji.')
    await succeeded(admin.delete(`/realm/emoji/${name}`))
    await eventually(async () => expect(await refused({})).toBe('This custom emoji has been deactivated.'))
    // Who has it keeps it.
    expect(await statusOf(ada, ben)).toEqual(expect.objectContaining(shown))
    await succeeded(ben.post('/users/me/status', { emoji_name: '' }))
  })

  it('is told to everybody of the organization: what changed, and what was cleared', async () => {
    const elsewhere = await World.create()
    const foreigner = await elsewhere.user()
    const other = await EventReader.register(foreigner, { event_types: ['user_status'] })
    const reader = await EventReader.register(guest, { event_types: ['user_status'] })
    await succeeded(ben.post('/users/me/status', { status_text: 'lunch', emoji_name: 'pizza' }))
    const isOfBen = (event: { user_id?: number }) => event.user_id === ben.id
    expect(await reader.waitFor(isOfBen)).toEqual({
      id: expect.any(Number),
      type: 'user_status',
      user_id: ben.id,
      status_text: 'lunch',
      emoji_name: 'pizza',
      emoji_code: '1f355',
      reaction_type: 'unicode_emoji',
    })
    await succeeded(ben.post('/users/me/status', { emoji_name: '' }))
    expect(await reader.waitFor((event) => isOfBen(event) && event.emoji_name === '')).toEqual({
      id: expect.any(Number),
      type: 'user_status',
      user_id: ben.id,
      emoji_name: '',
      emoji_code: '',
      reaction_type: '',
    })
    await succeeded(foreigner.post('/users/me/status', { status_text: 'away team' }))
    const seen = await other.until((event) => event.user_id === foreigner.id)
    expect(seen.filter(isOfBen)).toEqual([])
  })

  it('is in the state of who registers, or in the queue, never in both', async () => {
    await succeeded(ben.post('/users/me/status', { status_text: 'before' }))
    const reader = await EventReader.register(ada, { event_types: ['user_status'] })
    expect(reader.state.user_status[ben.id].status_text).toBe('before')
    await succeeded(ben.post('/users/me/status', { status_text: 'after' }))
    const seen = await reader.until((event) => event.status_text === 'after')
    expect(seen.map((event) => event.status_text)).toEqual(['after'])
  })
})

describe("somebody else's status", () => {
  it('is set by administrators', async () => {
    await succeeded(admin.post(`/users/${ada.id}/status`, { status_text: 'set by the house' }))
    expect(await statusOf(ben, ada)).toMatchObject({ status_text: 'set by the house' })
  })

  it('is set by nobody else', async () => {
    for (const user of [ben, guest, await world.user({ role: 'moderator' })]) {
      const { status, body } = await user.post(`/users/${ada.id}/status`, { status_text: 'mine now' })
      expect([status, body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL'])
    }
    const elsewhere = await World.create()
    const foreignAdmin = await elsewhere.user({ role: 'owner' })
    for (const call of [
      foreignAdmin.post(`/users/${ada.id}/status`, { status_text: 'from afar' }),
      foreignAdmin.get(`/users/${ada.id}/status`),
      admin.post('/users/99999999/status', { status_text: 'nobody' }),
    ]) {
      const { status, body } = await call
      expect([status, body.msg]).toEqual([400, 'No such user'])
    }
    expect((await statusOf(ben, ada)).status_text).toBe('set by the house')
  })
})

describe('being away', () => {
  it('hides presence until it is over', async () => {
    const own = await World.create()
    const shy = await own.user()
    const other = await own.user()
    const ping = (user: TestUser, sent = {}) =>
      succeeded(user.post('/users/me/presence', { status: 'active', ...sent }))
    await ping(shy)
    const reader = await EventReader.register(other, { event_types: ['presence', 'user_status'] })
    await succeeded(shy.post('/users/me/status', { away: true }))
    expect(await reader.waitFor((event) => event.type === 'user_status')).toMatchObject({ away: true })
    // The news that they came may still be on its way; then they are as long gone as anybody offline.
    await reader.waitFor(
      (event) => event.type === 'presence' && Date.now() / 1000 - event.presence.website.timestamp > 200,
    )

    await ping(shy)
    expect(await statusOf(other, shy)).toEqual({ away: true })
    const hidden = (await ping(other, { slim_presence: true })).presences[shy.id]
    expect(Date.now() / 1000 - hidden.idle_timestamp).toBeGreaterThan(200)

    await succeeded(shy.post('/users/me/status', { away: false }))
    expect(await statusOf(other, shy)).toEqual({})
    const shown = (await ping(other, { slim_presence: true })).presences[shy.id]
    expect(Date.now() / 1000 - shown.active_timestamp).toBeLessThan(60)
  })
})
