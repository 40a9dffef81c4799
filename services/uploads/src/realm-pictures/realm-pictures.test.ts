import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { settlePictures } from '../images/settle-pictures.ts'
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

it('what identity was not told of goes, and what it has stays, whenever the process dies', async () => {
  const known = new Set<string>()
  const answers = { ...room.answers }
  room.answers['realm-picture-address'] = ({ picture }: { picture: string }) => ({
    url: known.has(picture) ? `/user_avatars/7/realm/${picture}.png?version=3` : 'https://x.example/y',
  })
  let dies: 'before' | 'after' | 'no' = 'no'
  room.answers['change-realm-picture'] = (input: { picture: string; is_uploaded: boolean }) => {
    if (dies === 'before') throw new Error('killed before identity was asked')
    known[input.is_uploaded ? 'add' : 'delete'](input.picture)
    if (dies === 'after') throw new Error('killed before its answer was heard')
    return { url: '/' }
  }
  const there = async () =>
    Promise.all(['icon.png', 'logo.png', 'night_logo.png'].map(async (one) => (await sizeOf(one)) !== 404))
  const settle = () => settlePictures(room.deps, 0)
  await settle()

  expect((await send(admin, '/realm/icon', form(['i.png', picture]))).status).toBe(200)
  dies = 'before'
  expect((await send(admin, '/realm/logo', logoForm())).status).toBe(500)
  dies = 'after'
  expect((await send(admin, '/realm/logo', logoForm('true'))).status).toBe(500)
  expect(await there()).toEqual([true, true, true])
  expect(await settlePictures(room.deps)).toBe(0)
  expect([await settle(), await there()]).toEqual([3, [true, false, true]])

  expect((await admin.fetch('/api/v1/realm/logo?night=true', { method: 'DELETE' })).status).toBe(500)
  dies = 'before'
  expect((await admin.fetch('/api/v1/realm/icon', { method: 'DELETE' })).status).toBe(500)
  expect(await there()).toEqual([true, false, true])
  expect([await settle(), await there()]).toEqual([2, [true, false, false]])
  expect(await settle()).toBe(0)
  Object.assign(room.answers, answers)
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
