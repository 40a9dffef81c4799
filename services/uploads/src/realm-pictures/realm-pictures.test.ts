import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'

let room: TestRoom
let admin: Person
let member: Person
let picture: Buffer
let changes: { picture: string; is_uploaded: boolean }[]

beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  member = await room.person('moderator')
  changes = []
  room.answers['change-realm-picture'] = (input: { picture: string; is_uploaded: boolean }) => {
    changes.push(input)
    return {
      url: input.is_uploaded ? `/user_avatars/7/realm/${input.picture}.png?version=2` : 'https://x.example/y',
    }
  }
  room.answers['realm-picture-address'] = ({ picture }: { picture: string }) => ({
    url: `/user_avatars/7/realm/${picture}.png?version=2`,
  })
  picture = await sharp({ create: { width: 3000, height: 300, channels: 4, background: '#80402080' } })
    .png()
    .toBuffer()
})
afterAll(() => room.close())

const send = async (as: Person, path: string, body: FormData) => {
  const answer = await as.fetch(`/api/v1${path}`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Record<string, never> }
}
const logoForm = (night?: string) => {
  const made = form(['l.png', picture])
  if (night !== undefined) made.append('night', night)
  return made
}
const sizeOf = async (path: string) => {
  const answer = await (await room.stranger()).fetch(`/user_avatars/7/realm/${path}`)
  if (answer.status !== 200) return answer.status
  const { width, height, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
  return [width, height, format]
}

it('the icon is set, shown, led to, and taken away again', async () => {
  const { body } = await send(admin, '/realm/icon', form(['i.png', picture]))
  expect(body).toEqual({ result: 'success', msg: '', icon_url: '/user_avatars/7/realm/icon.png?version=2' })
  expect(changes.at(-1)).toEqual({ realm_id: 7, picture: 'icon', is_uploaded: true })
  expect(await sizeOf('icon.png')).toEqual([100, 100, 'png'])
  const led = await (await room.stranger()).fetch('/api/v1/realm/icon')
  expect([led.status, led.headers.get('location')]).toEqual([302, body.icon_url])
  for (const _ of [1, 2]) {
    const gone = await admin.fetch('/api/v1/realm/icon', { method: 'DELETE' })
    expect(await gone.json()).toEqual({ result: 'success', msg: '', icon_url: 'https://x.example/y' })
  }
  expect(await sizeOf('icon.png')).toBe(404)
})

it('logos are two, by day and by night, wherever the form says so', async () => {
  expect((await send(admin, '/realm/logo', logoForm())).body).toEqual({ result: 'success', msg: '' })
  expect(changes.at(-1)!.picture).toBe('logo')
  for (const [path, night] of [
    ['/realm/logo', 'true'],
    ['/realm/logo?night=true', undefined],
  ] as const) {
    expect((await send(admin, path, logoForm(night))).status).toBe(200)
    expect(changes.at(-1)!.picture).toBe('night_logo')
  }
  expect(await sizeOf('logo.png')).toEqual([800, 80, 'png'])
  expect((await send(admin, '/realm/logo', logoForm('maybe'))).body.code).toBe('BAD_REQUEST')
  expect((await admin.fetch('/api/v1/realm/logo?night=true', { method: 'DELETE' })).status).toBe(200)
  expect(changes.at(-1)).toMatchObject({ picture: 'night_logo', is_uploaded: false })
  expect([await sizeOf('night_logo.png'), await sizeOf('logo.png')]).toEqual([404, [800, 80, 'png']])
  const led = await (await room.stranger()).fetch('/api/v1/realm/logo?night=true')
  expect(led.headers.get('location')).toContain('night_logo.png')
})

it('are one image each, of at most 5 MiB, set by administrators', async () => {
  const before = changes.length
  for (const path of ['/realm/icon', '/realm/logo']) {
    const what = path.slice(7)
    const finding = `You must upload exactly one ${what}.`
    expect((await send(admin, path, new FormData())).body.msg).toBe(finding)
    expect((await send(admin, path, form(['a', picture], ['b', picture]))).body.msg).toBe(finding)
    const large = await send(admin, path, form(['a', Buffer.alloc(5 * 1024 * 1024 + 1)]))
    expect(large.body.msg).toBe('Uploaded file is larger than the allowed limit of 5 MiB')
    expect((await send(admin, path, form(['a', '<svg/>']))).body.code).toBe('BAD_IMAGE')
    for (const [who, status] of [
      [member, 400],
      [await room.person('guest'), 400],
      [await room.stranger(), 401],
    ] as const) {
      expect((await send(who, path, form(['a', picture]))).status).toBe(status)
      expect((await who.fetch(`/api/v1${path}`, { method: 'DELETE' })).status).toBe(status)
    }
  }
  expect(changes).toHaveLength(before)
})
