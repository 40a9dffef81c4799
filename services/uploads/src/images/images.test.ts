import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identicon } from '../avatars/identicon.ts'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { imageKind } from './image-kinds.ts'

let room: TestRoom
let ada: Person
let admin: Person
let photo: Buffer
let moving: Buffer
let changes: { is_uploaded: boolean; user_id: number }[]

beforeAll(async () => {
  room = await openTestRoom()
  ada = await room.person()
  admin = await room.person('administrator')
  changes = []
  room.answers['change-avatar'] = (input: { is_uploaded: boolean; user_id: number }) => {
    changes.push(input)
    return { avatar_url: `/user_avatars/7/${input.user_id}.png?version=${changes.length + 1}` }
  }
  room.answers['permissions-of-user'] = () => ({ allowed: ['can_add_custom_emoji_group'], group_ids: [] })
  photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#804020' } })
    .withExif({ IFD0: { Copyright: 'a place that nobody is to know' } })
    .jpeg()
    .toBuffer()
  const frame = (background: string) =>
    sharp({ create: { width: 80, height: 80, channels: 3, background } })
      .png()
      .toBuffer()
  moving = await sharp([await frame('red'), await frame('blue')], { join: { animated: true } })
    .gif()
    .toBuffer()
})
afterAll(() => room.close())

const send = async (person: Person, path: string, body: FormData) => {
  const answer = await person.fetch(`/api/v1${path}`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Record<string, never> }
}

/** A PNG that says it is large, and holds next to nothing. */
const pixelBomb = (): Buffer => {
  const bomb = Buffer.from(identicon('bomb', 100))
  bomb.writeUInt32BE(100_000, 16)
  bomb.writeUInt32BE(100_000, 20)
  return bomb
}

const hostile = (): [string, Buffer][] => [
  ['empty', Buffer.alloc(0)],
  ['text', Buffer.from('hello')],
  ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['html', Buffer.from('<html><script>alert(1)</script></html>')],
  ['pdf', Buffer.from('%PDF-1.4')],
  ['truncated', photo.subarray(0, 200)],
  ['half of it', photo.subarray(0, photo.length >> 1)],
  ['signature only', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['pixel bomb', pixelBomb()],
  ['noise after a signature', Buffer.concat([Buffer.from('GIF89a'), deflateSync(Buffer.alloc(10_000))])],
]

describe('avatars', () => {
  it('are stored in two sizes without what the camera wrote, shown to anybody, and taken away again', async () => {
    const { body } = await send(ada, '/users/me/avatar', form(['photo.exe', photo, 'text/html']))
    expect(body).toMatchObject({ result: 'success', avatar_url: `/user_avatars/7/${ada.id}.png?version=2` })
    expect(changes.at(-1)).toEqual({ realm_id: 7, user_id: ada.id, is_uploaded: true })
    const stranger = await room.stranger()
    for (const [file, pixels] of [
      [`${ada.id}.png`, 100],
      [`${ada.id}-medium.png`, 500],
    ] as const) {
      const answer = await stranger.fetch(`/user_avatars/7/${file}?version=2`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('image/png')
      expect(answer.headers.get('cache-control')).toContain('public, immutable')
      const picture = Buffer.from(await answer.arrayBuffer())
      const { format, width, height, exif } = await sharp(picture).metadata()
      expect({ format, width, height, exif }).toEqual({
        format: 'png',
        width: pixels,
        height: pixels,
        exif: undefined,
      })
      const known = await stranger.fetch(`/user_avatars/7/${file}`, {
        headers: { 'if-none-match': answer.headers.get('etag')! },
      })
      expect(known.status).toBe(304)
    }
    for (const _ of [1, 2]) {
      const gone = await ada.fetch('/api/v1/users/me/avatar', { method: 'DELETE' })
      expect(gone.status).toBe(200)
      expect(changes.at(-1)).toMatchObject({ is_uploaded: false })
    }
    const generated = Buffer.from(await (await stranger.fetch(`/user_avatars/7/${ada.id}.png`)).arrayBuffer())
    expect(generated.equals(identicon(`7/${ada.id}`, 100))).toBe(true)
  })

  it('that are no image are BAD_IMAGE, whatever they say they are, and the next one is taken', async () => {
    for (const [name, bytes] of hostile()) {
      const { status, body } = await send(ada, '/users/me/avatar', form(['a.png', bytes, 'image/png']))
      expect([status, body.code], name).toEqual([400, 'BAD_IMAGE'])
    }
    expect((await send(ada, '/users/me/avatar', form(['a.png', photo]))).status).toBe(200)
  })

  it('are exactly one, of at most 5 MiB, and administrators only where changes are disabled', async () => {
    const refusals: [FormData, string][] = [
      [new FormData(), 'You must upload exactly one avatar.'],
      [form(['a', photo], ['b', photo]), 'You must upload exactly one avatar.'],
      [
        form(['a', Buffer.alloc(5 * 1024 * 1024 + 1)]),
        'Uploaded file is larger than the allowed limit of 5 MiB',
      ],
    ]
    for (const [body, msg] of refusals) {
      const answer = await send(ada, '/users/me/avatar', body)
      expect([answer.status, answer.body.code, answer.body.msg]).toEqual([400, 'BAD_REQUEST', msg])
    }
    room.deps.realms.learn({ ...room.realm, settings: { avatar_changes_disabled: true }, version: 5 })
    const refused = await send(ada, '/users/me/avatar', form(['a', photo]))
    expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST'])
    expect((await ada.fetch('/api/v1/users/me/avatar', { method: 'DELETE' })).status).toBe(400)
    expect((await send(admin, '/users/me/avatar', form(['a', photo]))).status).toBe(200)
    room.deps.realms.learn({ ...room.realm, settings: {}, version: 6 })
    expect((await send(await room.stranger(), '/users/me/avatar', form(['a', photo]))).status).toBe(401)
  })

  it('are found by ID by anybody, by e-mail by accounts', async () => {
    const stranger = await room.stranger()
    const visit = async (person: Person, path: string) => {
      const answer = await person.fetch(path)
      return [answer.status, answer.headers.get('location')]
    }
    const own = `person${ada.id}@acme.example`
    const [status, location] = await visit(stranger, `/avatar/${ada.id}`)
    expect(status).toBe(302)
    expect(location).toMatch(/^https:\/\/secure\.gravatar\.com\//)
    expect(await visit(ada, `/avatar/${own}`)).toEqual([302, location])
    expect((await visit(ada, `/avatar/${own}/medium`))[1]).toContain('s=500')
    expect(await visit(stranger, `/avatar/${own}`)).toEqual([404, null])
    expect(await visit(stranger, '/avatar/999999')).toEqual([404, null])
    expect((await stranger.fetch('/user_avatars/7/999999.png')).status).toBe(404)
    expect((await stranger.fetch('/user_avatars/7/..%2Fsecret')).status).toBe(404)
  })

  it('that are generated are the same for the same account, and differ between accounts', async () => {
    expect(identicon('7/1', 100).equals(identicon('7/1', 100))).toBe(true)
    expect(identicon('7/1', 100).equals(identicon('7/2', 100))).toBe(false)
    const { format, width } = await sharp(identicon('7/1', 500)).metadata()
    expect([format, width]).toEqual(['png', 500])
  })
})

describe('custom emoji', () => {
  const emoji = async () =>
    ((await (await ada.fetch('/api/v1/realm/emoji')).json()) as { emoji: never }).emoji
  const remove = async (person: Person, name: string) => {
    const answer = await person.fetch(`/api/v1/realm/emoji/${name}`, { method: 'DELETE' })
    return [answer.status, ((await answer.json()) as { msg: string }).msg]
  }

  it('are added, shown, announced to both kinds of clients and to services, and deactivated', async () => {
    await room.announced()
    expect((await send(ada, '/realm/emoji/party_blob', form(['p.gif', moving]))).status).toBe(200)
    const [made] = Object.values(await emoji()) as Record<string, string>[]
    expect(made).toMatchObject({ name: 'party_blob', deactivated: false, author_id: ada.id })
    for (const [address, format, pages] of [
      [made!.source_url!, 'gif', 2],
      [made!.still_url!, 'png', undefined],
    ] as const) {
      const answer = await (await room.stranger()).fetch(address)
      const facts = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
      expect([facts.format, facts.pages, facts.width]).toEqual([format, pages, 64])
    }
    const told = await room.announced()
    expect(told.find(({ topic }) => topic === 'uploads.emoji')?.value).toEqual({ ...made, realm_id: 7 })
    const event = told.find(({ value }) => value.type === 'realm_emoji')!
    expect(event.audience).toEqual({ realm: 7, everyone: true })
    expect(event.value).toMatchObject({ change: { emoji: made }, realm_emoji: { [made!.id!]: made } })

    const bob = await room.person()
    expect(await remove(bob, 'party_blob')).toEqual([
      400,
      'Must be an organization administrator or emoji author',
    ])
    expect(await remove(ada, 'nothing')).toEqual([404, "Emoji 'nothing' does not exist"])
    expect(await remove(ada, 'party_blob')).toEqual([200, ''])
    expect(await remove(ada, 'party_blob')).toEqual([404, "Emoji 'party_blob' does not exist"])
    expect(Object.values(await emoji())[0]).toMatchObject({ deactivated: true })
    // The name is free again; administrators deactivate anybody's.
    expect((await send(ada, '/realm/emoji/party_blob', form(['p.jpg', photo]))).status).toBe(200)
    expect(Object.values(await emoji())[1]).toMatchObject({ still_url: null })
    expect(await remove(admin, 'party_blob')).toEqual([200, ''])
  })

  it('have names that nobody else uses, by rules', async () => {
    expect((await send(ada, '/realm/emoji/taken', form(['a', photo]))).status).toBe(200)
    const refusals: [Person, string, string][] = [
      [ada, 'taken', 'A custom emoji with this name already exists.'],
      [ada, 'Upper', 'Invalid characters in emoji name'],
      [ada, 'a.b', 'Invalid characters in emoji name'],
      [ada, '%C3%A9', 'Invalid characters in emoji name'],
      [ada, 'ends_', 'Emoji names must end with either a letter or digit.'],
      [ada, 'smile', 'Only administrators can override default emoji.'],
    ]
    for (const [person, name, msg] of refusals) {
      const answer = await send(person, `/realm/emoji/${name}`, form(['a', photo]))
      expect([answer.status, answer.body.msg], name).toEqual([400, msg])
    }
    expect((await send(admin, '/realm/emoji/smile', form(['a', photo]))).status).toBe(200)
    const two = await send(ada, '/realm/emoji/pair_of_files', form(['a', photo], ['b', photo]))
    expect(two.body.msg).toBe('You must upload exactly one file.')
    for (const [name, bytes] of hostile()) {
      const { body } = await send(ada, '/realm/emoji/bad', form(['a.png', bytes]))
      expect(body.code, name).toBe('BAD_IMAGE')
    }
  })

  it('are for whom the organization lets add them', async () => {
    const allowed = room.answers['permissions-of-user']!
    room.answers['permissions-of-user'] = () => ({ allowed: [], group_ids: [] })
    const refused = await send(ada, '/realm/emoji/nice', form(['a', photo]))
    expect([refused.status, refused.body.msg]).toEqual([400, 'Insufficient permission'])
    expect(await remove(ada, 'taken')).toEqual([400, 'Must be an organization administrator or emoji author'])
    room.answers['permissions-of-user'] = allowed
  })

  it('of one name come into being once, however many ask at once', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => send(ada, '/realm/emoji/race', form(['a', photo]))),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })
})

it('kinds of images are known by their bytes', () => {
  expect(imageKind(photo)).toBe('jpeg')
  expect(imageKind(moving)).toBe('gif')
  expect(imageKind(Buffer.from('<svg/>'))).toBeUndefined()
})
