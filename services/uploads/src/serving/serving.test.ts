import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { namesTag, readRange } from './range-rules.ts'
import { temporaryLinks } from './temporary-links.ts'

let room: TestRoom
let ada: Person
let bob: Person

beforeAll(async () => {
  room = await openTestRoom()
  ada = await room.person()
  bob = await room.person()
  room.answers['readable-messages'] = () => ({ message_ids: [] })
})
afterAll(() => room.close())

const upload = async (name: string, content: string, type = 'text/plain'): Promise<string> => {
  const answer = await ada.fetch('/api/v1/user_uploads', {
    method: 'POST',
    body: form([name, content, type]),
  })
  return ((await answer.json()) as { url: string }).url
}

describe('GET /user_uploads/...', () => {
  it('takes no address with a NUL in it', async () => {
    expect((await ada.fetch('/user_uploads/7/a%00b')).status).toBe(400)
    expect((await ada.fetch('/user_uploads/thumbnail/7/a%00b/840x560.webp')).status).toBe(400)
  })

  it('gives the bytes, whole and in ranges, with headers that keep them harmless', async () => {
    const url = await upload('né (x).txt', '0123456789')
    const whole = await ada.fetch(encodeURI(url))
    expect([whole.status, await whole.text()]).toEqual([200, '0123456789'])
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cache-control': 'private, immutable, max-age=31536000',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="n_ (x).txt"; filename*=UTF-8''n%C3%A9%20%28x%29.txt`,
    })
    expect(whole.headers.get('content-security-policy')).toContain('sandbox')
    const part = await ada.fetch(url, { headers: { range: 'bytes=3-5' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 3-5/10',
      '345',
    ])
    const beyond = await ada.fetch(url, { headers: { range: 'bytes=10-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(await beyond.json()).toMatchObject({ result: 'error', code: 'BAD_REQUEST' })
    const etag = whole.headers.get('etag')!
    const known = await ada.fetch(url, { headers: { 'if-none-match': `W/"x", ${etag}` } })
    expect([known.status, await known.text()]).toEqual([304, ''])
    const changed = await ada.fetch(url, { headers: { range: 'bytes=3-5', 'if-range': '"other"' } })
    expect(changed.status).toBe(200)
    await changed.text()
    const head = await ada.fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
    // Slashes are data when they are encoded.
    const encoded = `/user_uploads/7/${encodeURIComponent(url.slice('/user_uploads/7/'.length))}`
    expect(await (await ada.fetch(encoded)).text()).toBe('0123456789')
  })

  it.each([
    ['a.png', 'image/png', 'inline'],
    ['a.mov', '', 'inline'],
    ['a.pdf', 'application/pdf', 'inline'],
    ['a.svg', 'image/svg+xml', 'attachment'],
    ['a.html', 'text/html', 'attachment'],
    ['a.xml', 'application/xml', 'attachment'],
    ['a.png', 'text/html', 'attachment'],
    ['a.js', 'nonsense', 'attachment'],
  ])('shows %s of type %j as %s', async (name, type, disposition) => {
    const answer = await ada.fetch(await upload(name, '<script>alert(1)</script>', type))
    expect(answer.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`))
    await answer.text()
  })

  it('is the same answer for what does not exist, what is hidden, and what is elsewhere', async () => {
    const url = await upload('secret.txt', 's')
    const places = [url, '/user_uploads/7/00/none/x', `/user_uploads/8${url.slice('/user_uploads/7'.length)}`]
    for (const place of places) {
      for (const root of ['', '/api/v1']) {
        const answer = await bob.fetch(`${root}${place}`)
        expect(answer.status).toBe(404)
        expect(await answer.json()).toEqual({ result: 'error', msg: 'File not found.', code: 'BAD_REQUEST' })
      }
      const stranger = await (await room.stranger()).fetch(place)
      expect(stranger.status).toBe(403)
      expect(await stranger.json()).toMatchObject({ msg: 'You are not authorized to view this file.' })
    }
    expect((await (await room.stranger()).fetch(`/api/v1${url}`)).status).toBe(401)
  })
})

describe('an address for a minute', () => {
  it('needs no credentials, is held to the organization and to who asked for it', async () => {
    const url = await upload('shared.txt', 'for a minute')
    const { url: link } = (await (await ada.fetch(`/api/v1${url}`)).json()) as { url: string }
    expect(link).toMatch(/^\/user_uploads\/temporary\/[\w.-]+\/shared\.txt$/)
    const stranger = await room.stranger()
    expect(await (await stranger.fetch(link)).text()).toBe('for a minute')
    const forged = link.replace(/temporary\/\d+/, 'temporary/1')
    expect((await stranger.fetch(forged)).status).toBe(403)
    const people = room.answers['find-users']!
    room.answers['find-users'] = () => ({ users: [{ id: ada.id, is_active: false }] })
    expect((await stranger.fetch(link)).status).toBe(403)
    room.answers['find-users'] = people
  })

  it('ends after sixty seconds, and with the slightest change', () => {
    let now = 1_000_000
    const links = temporaryLinks('secret', () => now)
    const token = links.issue({ fileId: 3, userId: 4 })
    expect(links.read(token)).toEqual({ fileId: 3, userId: 4 })
    now += 60_000
    expect(links.read(token)).toBeDefined()
    now += 1001
    expect(links.read(token)).toBeUndefined()
    now = 1_000_000
    expect(temporaryLinks('other', () => now).read(token)).toBeUndefined()
    for (const wrong of [token.replace('3.', '5.'), `${token}x`, token.slice(1), '', '...', '1.2.3.4']) {
      expect(links.read(wrong)).toBeUndefined()
    }
  })
})

describe('ranges', () => {
  it.each([
    ['bytes=0-0', { offset: 0, length: 1 }],
    ['bytes=0-99', { offset: 0, length: 10 }],
    ['bytes=4-', { offset: 4, length: 6 }],
    ['bytes=-3', { offset: 7, length: 3 }],
    ['bytes=-30', { offset: 0, length: 10 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', undefined],
    ['bytes=-', undefined],
    ['bytes=1-2,3-4', undefined],
    ['items=1-2', undefined],
    ['bytes=a-b', undefined],
    [undefined, undefined],
  ])('%s of ten bytes', (header, range) => expect(readRange(header, 10)).toEqual(range))

  it('are compared by tags weakly', () => {
    expect(namesTag('*', '"a"')).toBe(true)
    expect(namesTag('"b", W/"a"', '"a"')).toBe(true)
    expect(namesTag('"b"', '"a"')).toBe(false)
    expect(namesTag(undefined, '"a"')).toBe(false)
  })
})
