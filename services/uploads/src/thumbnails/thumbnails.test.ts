import { inTransaction } from '@parley/kit'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { takeInMessage } from '../claims/take-in-messages.ts'
import { sweepObjects } from '../objects/sweep-objects.ts'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { thumbnailAt } from './thumbnail-rules.ts'

let room: TestRoom
let ada: Person
let bob: Person
let photo: Buffer
let moving: Buffer
/** Who may read message 11; null: whoever looks on. */
let readers: (number | null)[] = []

beforeAll(async () => {
  room = await openTestRoom()
  ada = await room.person()
  bob = await room.person()
  room.answers['readable-messages'] = ({
    user_id,
    message_ids,
  }: {
    user_id: number | null
    message_ids: number[]
  }) => ({
    message_ids: readers.includes(user_id) ? message_ids : [],
  })
  // Lies on its side, and says where it was taken.
  photo = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#336699' } })
    .withExif({ IFD0: { Copyright: 'here' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const frame = (background: string) =>
    sharp({ create: { width: 1200, height: 600, channels: 3, background } })
      .png()
      .toBuffer()
  moving = await sharp([await frame('red'), await frame('blue')], { join: { animated: true } })
    .gif()
    .toBuffer()
})
afterAll(() => room.close())

const upload = async (name: string, content: Buffer, type: string): Promise<string> => {
  const answer = await ada.fetch('/api/v1/user_uploads', {
    method: 'POST',
    body: form([name, content, type]),
  })
  return ((await answer.json()) as { url: string }).url.slice('/user_uploads/'.length)
}
const thumbnail = (as: Person, path: string, format: string, headers = {}) =>
  as.fetch(`/user_uploads/thumbnail/${encodeURI(path)}/${format}`, { headers })
const status = async (as: Person, path: string) => {
  const answer = await as.fetch(`/api/v1/thumbnail/status/${encodeURI(path)}`)
  return ((await answer.json()) as { has_thumbnail?: boolean }).has_thumbnail ?? answer.status
}
const infos = (user_id: number, ...path_ids: string[]) =>
  room.internal('file-infos', { realm_id: 7, user_id, path_ids }) as Promise<{
    files: Record<string, never>[]
  }>

describe('small forms of pictures', () => {
  it('fit the size, stand upright, and know nothing of where they were taken', async () => {
    const path = await upload('né photo.jpg', photo, 'image/jpeg')
    for (const [format, width, height] of [
      ['840x560.webp', 280, 560],
      ['300x200.webp', 100, 200],
      ['1680x1120.webp', 560, 1120],
      ['840x560-anim.webp', 280, 560],
    ] as const) {
      // The second time it is there already.
      for (const _ of [1, 2]) {
        const answer = await thumbnail(ada, path, format)
        expect(answer.status).toBe(200)
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'content-type': 'image/webp',
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, immutable, max-age=31536000',
        })
        const facts = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
        expect([facts.format, facts.width, facts.height, facts.exif]).toEqual([
          'webp',
          width,
          height,
          undefined,
        ])
        const etag = answer.headers.get('etag')!
        expect((await thumbnail(ada, path, format, { 'if-none-match': etag })).status).toBe(304)
      }
    }
    expect((await room.deps.database.sql`SELECT FROM thumbnails`).count).toBe(4)
  })

  it('move or stand still as asked, and are never larger than the original', async () => {
    const path = await upload('a.gif', moving, 'image/gif')
    const pages = async (format: string) =>
      (await sharp(Buffer.from(await (await thumbnail(ada, path, format)).arrayBuffer())).metadata()).pages ??
      1
    expect([await pages('840x560-anim.webp'), await pages('840x560.webp')]).toEqual([2, 1])
    const small = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const answer = await thumbnail(ada, await upload('s.png', small, 'image/png'), '840x560.webp')
    expect((await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width).toBe(20)
  })

  it('are for whoever may have the file, and of pictures only', async () => {
    const path = await upload('p.jpg', photo, 'image/jpeg')
    expect((await thumbnail(bob, path, '840x560.webp')).status).toBe(404)
    expect((await thumbnail(await room.stranger(), path, '840x560.webp')).status).toBe(403)
    for (const format of ['1x1.webp', '840x560.png', '', '..%2F840x560.webp', '840x560.webp/x']) {
      expect((await thumbnail(ada, path, format)).status, format).toBe(404)
    }
    const lies = [
      await upload('text.png', Buffer.from('hello'), 'image/png'),
      await upload('a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'),
      await upload('half.jpg', photo.subarray(0, 200), 'image/jpeg'),
      await upload('photo.txt', photo, 'text/plain'),
    ]
    for (const lie of lies) {
      expect((await thumbnail(ada, lie, '840x560.webp')).status, lie).toBe(404)
      expect(await status(ada, lie), lie).toBe(false)
    }
    const picture = await upload('true.jpg', photo, 'image/jpeg')
    readers = []
    expect(await status(ada, picture)).toBe(true)
    expect(await status(bob, picture)).toBe(404)
    expect(await status(ada, '7/aa/nothing/x')).toBe(404)
  })

  it('go with their file', async () => {
    const path = await upload('gone.jpg', photo, 'image/jpeg')
    const before = await Array.fromAsync(room.store.list('thumbnails/'))
    expect((await thumbnail(ada, path, '840x560.webp')).status).toBe(200)
    const { attachments } = (await (await ada.fetch('/api/v1/attachments')).json()) as {
      attachments: { id: number; path_id: string }[]
    }
    const { id } = attachments.find(({ path_id }) => path_id === path)!
    expect((await ada.fetch(`/api/v1/attachments/${id}`, { method: 'DELETE' })).status).toBe(200)
    while ((await sweepObjects(room.deps.database, room.store)) > 0);
    expect(await Array.fromAsync(room.store.list('thumbnails/'))).toEqual(before)
  })
})

describe('what is known of a file', () => {
  it('is told of whoever may have it: size, type, and where its small form is', async () => {
    const [picture, gif, lie, text] = [
      await upload('né.jpg', photo, 'image/jpeg'),
      await upload('m.gif', moving, 'image/gif'),
      await upload('lie.png', Buffer.from('no'), 'image/png'),
      await upload('film.mov', Buffer.from('film'), 'video/quicktime'),
    ]
    const { files } = await infos(ada.id, picture, gif, lie, text, '7/aa/nothing/x')
    expect(files).toEqual([
      {
        path_id: picture,
        content_type: 'image/jpeg',
        width: 1000,
        height: 2000,
        thumbnail: { url: `/user_uploads/thumbnail/${picture.replace('né', 'n%C3%A9')}/840x560.webp` },
      },
      {
        path_id: gif,
        content_type: 'image/gif',
        width: 1200,
        height: 600,
        thumbnail: { url: `/user_uploads/thumbnail/${gif}/840x560-anim.webp`, animated: true },
      },
      { path_id: text, content_type: 'video/quicktime' },
    ])
    expect(await infos(bob.id, picture, text)).toEqual({ files: [] })
  })

  it('is asked of channels once for all of them', async () => {
    const paths = [await upload('1.jpg', photo, 'image/jpeg'), await upload('2.jpg', photo, 'image/jpeg')]
    const unsaid = await upload('3.jpg', photo, 'image/jpeg')
    for (const [n, path] of paths.entries()) {
      const html = `<a href="/user_uploads/${path}">x</a>`
      room.answers['message-contents'] = () => ({
        messages: [{ id: 21 + n, sender_id: ada.id, rendered_content: html }],
      })
      await inTransaction(room.deps.database, (tx) =>
        takeInMessage(room.deps.ask, tx as never, 7, 21 + n, html),
      )
    }
    const asked: number[][] = []
    const before = room.answers['readable-messages']!
    room.answers['readable-messages'] = ({ message_ids }: { message_ids: number[] }) => {
      asked.push(message_ids)
      return { message_ids: [21] }
    }
    const { files } = await infos(bob.id, ...paths, unsaid)
    room.answers['readable-messages'] = before
    expect(files.map(({ path_id }) => path_id)).toEqual([paths[0]])
    expect(asked).toEqual([[22, 21]])
  })
})

it('whoever looks on without an account has the files of messages that are shown to everybody', async () => {
  const path = await upload('open.jpg', photo, 'image/jpeg')
  const stranger = await room.stranger()
  const html = `<a href="/user_uploads/${path}">x</a>`
  room.answers['message-contents'] = () => ({
    messages: [{ id: 11, sender_id: ada.id, rendered_content: html }],
  })
  await inTransaction(room.deps.database, (tx) => takeInMessage(room.deps.ask, tx as never, 7, 11, html))
  expect((await stranger.fetch(`/user_uploads/${path}`)).status).toBe(403)
  readers = [null]
  expect((await stranger.fetch(`/user_uploads/${path}`)).status).toBe(200)
  expect((await thumbnail(stranger, path, '840x560.webp')).status).toBe(200)
  readers = []
  expect((await stranger.fetch(`/user_uploads/${path}`)).status).toBe(403)
})

it('a path names a file and a form', () => {
  expect(thumbnailAt('ab/x/f.png/840x560.webp')).toMatchObject({
    path: 'ab/x/f.png',
    format: { max_width: 840 },
  })
  for (const path of ['840x560.webp', '/840x560.webp', 'ab/x/f.png', 'ab/x/840x560.WEBP']) {
    expect(thumbnailAt(path), path).toBeUndefined()
  }
})
