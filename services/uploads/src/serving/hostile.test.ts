/** More than two hundred files and names that mean harm: none is given in a way that a browser runs, none breaks anything. */
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { identicon } from '../avatars/identicon.ts'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'

let room: TestRoom
let ada: Person
let photo: Buffer
let moving: Buffer

beforeAll(async () => {
  room = await openTestRoom()
  ada = await room.person()
  room.answers['change-avatar'] = () => ({ avatar_url: '/x' })
  photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#336699' } })
    .withExif({
      IFD0: { Copyright: 'SECRET-PLACE' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .jpeg()
    .toBuffer()
  const frame = (background: string) =>
    sharp({ create: { width: 30, height: 30, channels: 3, background } })
      .png()
      .toBuffer()
  moving = await sharp([await frame('red'), await frame('blue')], { join: { animated: true } })
    .gif()
    .toBuffer()
})
afterAll(() => room.close())

const script = '<script>alert(document.domain)</script>'
const latin = (text: string) => Buffer.from(text, 'latin1')

const withSize = (width: number, height: number): Buffer => {
  const bomb = Buffer.from(identicon('bomb', 100))
  bomb.writeUInt32BE(width, 16)
  bomb.writeUInt32BE(height, 20)
  return bomb
}
/** A GIF of many frames that each say they are large. */
const framesOf = (count: number, size: number): Buffer => {
  const head = Buffer.alloc(13)
  head.write('GIF89a', 'latin1')
  head.writeUInt16LE(size, 6)
  head.writeUInt16LE(size, 8)
  const frame = Buffer.from([
    0x2c,
    0,
    0,
    0,
    0,
    size & 255,
    size >> 8,
    size & 255,
    size >> 8,
    0,
    2,
    2,
    0x44,
    1,
    0,
  ])
  return Buffer.concat([head, ...Array.from({ length: count }, () => frame), latin(';')])
}

const contents = (): Record<string, Buffer> => ({
  empty: Buffer.alloc(0),
  html: latin(`<html>${script}</html>`),
  svg: latin(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
  'svg with an entity': latin(`<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>`),
  'html after a GIF signature': latin(`GIF89a/*${script}*/=1`),
  'html after a PNG signature': latin(`\x89PNG\r\n\x1a\n${script}`),
  'html in the comment of a JPEG': Buffer.concat([
    photo.subarray(0, 2),
    latin(`\xff\xfe\x00\x30${script}     `),
    photo.subarray(2),
  ]),
  'a photo, then html': Buffer.concat([photo, latin(script)]),
  'a photo, then a zip': Buffer.concat([photo, latin('PK\x03\x04evil')]),
  'a GIF, then a script': Buffer.concat([moving, latin(script)]),
  'half a photo': photo.subarray(0, photo.length >> 1),
  'pixel bomb': withSize(60_000, 60_000),
  'pixel bomb, wide': withSize(2_147_483_647, 1),
  'no pixels': withSize(0, 0),
  'animation bomb': framesOf(5000, 4000),
  'noise after a signature': Buffer.concat([latin('GIF89a'), deflateSync(Buffer.alloc(10_000))]),
  'a PDF with a script': latin('%PDF-1.7\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>endobj'),
  'an XML that is a page': latin(
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
  ),
  'UTF-7': latin('+ADw-script+AD4-alert(1)+ADw-/script+AD4-'),
  'UTF-16': Buffer.from(`\ufeff${script}`, 'utf16le'),
})
const types = [
  '',
  'text/html',
  'TEXT/HTML; charset=utf-7',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'application/xhtml+xml',
  'text/xml',
  'application/javascript',
  'application/x-shockwave-flash',
  'multipart/x-mixed-replace',
]
const names = [
  '../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/passwd',
  'C:\\evil.exe',
  '....//....//x',
  '%2e%2e%2f%2e%2e%2fx',
  'x\u0000.png',
  'x.png\u0000.html',
  'x\r\nSet-Cookie: a=b\r\n\r\n<html>',
  'x"; filename="evil.html',
  "x'; filename*=UTF-8''evil.html",
  '\u202egnp.exe',
  'photo\u2066\u202efdp.html',
  '"><script>alert(1)</script>.png',
  'javascript:alert(1)',
  'a'.repeat(5000),
  'あ'.repeat(2000),
  '💥'.repeat(500),
  '.htaccess',
  'CON',
  'x.html.png',
  'x.png.html',
  'x.svg',
  'x.phtml',
  ' leading and trailing ',
  '\ud800',
  'e\u0301\u0301\u0301\u0301',
  `\${jndi:ldap://x}`,
  '{{7*7}}',
  "'; DROP TABLE attachments; --",
  '?a=b#c',
  'a&b=c;d',
  'thumbnail/840x560.webp',
  'temporary',
]

/** Types that browsers show as they are, without running anything. */
const harmless =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff|heic|heif|apng)|audio\/|video\/|application\/pdf$)/

const expectHarmless = (headers: Headers, what: string): void => {
  expect(headers.get('x-content-type-options'), what).toBe('nosniff')
  expect(headers.get('content-security-policy'), what).toMatch(/default-src 'none'.*sandbox$/)
  expect(headers.get('set-cookie'), what).toBeNull()
  const disposition = headers.get('content-disposition')!
  if (!harmless.test(headers.get('content-type')!)) expect(disposition, what).toMatch(/^attachment; /)
  // Nothing of the name ends the quotes, or the line.
  expect(disposition, what).toMatch(
    /^(inline|attachment); filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w.~!#$&+^`|%-]*$/,
  )
}

const put = async (name: string, content: Buffer, type: string) => {
  const answer = await ada.fetch('/api/v1/user_uploads', {
    method: 'POST',
    body: form([name, content, type]),
  })
  return { status: answer.status, body: (await answer.json()) as { url: string; filename: string } }
}

it('every content under every type is given back byte for byte, and harmlessly', async () => {
  let tried = 0
  for (const [what, content] of Object.entries(contents())) {
    await Promise.all(
      types.map(async (type) => {
        const about = `${what} as ${type}`
        const { status, body } = await put('x', content, type)
        expect(status, about).toBe(200)
        const answer = await ada.fetch(body.url)
        expect(Buffer.from(await answer.arrayBuffer()).equals(content), about).toBe(true)
        expectHarmless(answer.headers, about)
        // A small form is a picture that was drawn anew, or nothing.
        const small = await ada.fetch(
          `${body.url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`,
        )
        expect([200, 404], about).toContain(small.status)
        const drawn = Buffer.from(await small.arrayBuffer())
        if (small.status !== 200) return
        expectHarmless(small.headers, about)
        expect(drawn.subarray(8, 12).toString(), about).toBe('WEBP')
        expect(drawn.includes('alert(') || drawn.includes('SECRET-PLACE'), about).toBe(false)
        tried += 1
      }),
    )
    tried += types.length
  }
  expect(tried).toBeGreaterThan(220)
})

it('every name is one name, in one place, found again', async () => {
  for (const name of names) {
    const { status, body } = await put(name, Buffer.from('content'), 'text/plain')
    expect(status, name).toBe(200)
    expect(body.filename, name).not.toMatch(/[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    expect([...body.filename].length, name).toBeLessThanOrEqual(255)
    expect(body.url, name).toMatch(/^\/user_uploads\/7\/[0-9a-f]{2}\/[\w-]{24}\/[\p{L}\p{M}\p{N}_.-]+$/u)
    expect(body.url.split('/').at(-1), name).not.toMatch(/^\.*$/)
    const answer = await ada.fetch(encodeURI(body.url))
    expect([answer.status, await answer.text()], name).toEqual([200, 'content'])
    expectHarmless(answer.headers, name)
  }
  // To the parser of forms these are no names, and so no files.
  for (const name of ['.', '..']) expect((await put(name, Buffer.from('x'), 'text/plain')).status).toBe(400)
})

it('every content as a picture of somebody is refused or drawn anew, in time, and the service goes on', async () => {
  for (const [what, content] of Object.entries(contents())) {
    const started = Date.now()
    const answer = await ada.fetch('/api/v1/users/me/avatar', {
      method: 'POST',
      body: form(['a.png', content]),
    })
    expect([200, 400], what).toContain(answer.status)
    expect(Date.now() - started, what).toBeLessThan(20_000)
    if (answer.status === 400) continue
    const shown = Buffer.from(await (await ada.fetch(`/user_avatars/7/${ada.id}.png`)).arrayBuffer())
    expect(shown.includes('alert(') || shown.includes('SECRET-PLACE'), what).toBe(false)
    expect((await sharp(shown).metadata()).exif, what).toBeUndefined()
  }
  const last = await ada.fetch('/api/v1/users/me/avatar', { method: 'POST', body: form(['a.png', photo]) })
  expect(last.status).toBe(200)
})
