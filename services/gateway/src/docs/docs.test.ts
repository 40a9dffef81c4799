import { contracts } from '@parley/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { type House, smallHouse } from '../testing/small-house.ts'
import { typeText } from './type-text.ts'

let house: House | undefined
afterEach(() => house?.close())

describe('documentation', () => {
  it('is handed out to anybody under any host, and takes nothing from elsewhere', async () => {
    house = await smallHouse()
    for (const [path, type] of [
      ['/api/', 'text/html; charset=utf-8'],
      ['/api', 'text/html; charset=utf-8'],
      ['/api/reference.css', 'text/css; charset=utf-8'],
      ['/api/reference.js', 'text/javascript; charset=utf-8'],
      ['/api/v1/openapi.json', 'application/json'],
    ] as const) {
      const answer = await house.fetch(path, { as: null, host: 'whatever.example' })
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
      expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
    }
    const page = await house.fetch('/api/', { as: null })
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await page.text()
    for (const contract of Object.values(contracts)) {
      for (const operation of Object.keys(contract.endpoints))
        expect(html).toContain(`<section id="${operation}"`)
    }
    expect(
      [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].every(([, to]) => /^\/api\/|^data:,$/.test(to!)),
    ).toBe(true)
    expect((await house.fetch('/api/', { method: 'POST' })).status).toBe(405)
  })

  it('names the emoji, and says when nothing has changed', async () => {
    house = await smallHouse()
    const path = '/static/generated/emoji/emoji_api.json'
    const answer = await house.fetch(path, { as: null })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(await answer.json()).toMatchObject({
      code_to_names: { '1f44d': expect.arrayContaining(['thumbs_up']) },
    })
    const etag = answer.headers.get('etag')!
    for (const known of [etag, `"x", W/${etag}`]) {
      const again = await house.fetch(path, { as: null, headers: { 'if-none-match': known } })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    const head = await house.fetch(path, { method: 'HEAD', as: null })
    expect([head.status, Number(head.headers.get('content-length')) > 10_000]).toEqual([200, true])
  })

  it('has the picture that stands for one that is not ready', async () => {
    house = await smallHouse()
    const answer = await house.fetch('/static/images/loading/loader-black.svg', { as: null })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(await answer.text()).toMatch(/^<svg /)
  })

  it('has the picture of the extra emoji where messages point to', async () => {
    house = await smallHouse()
    const answer = await house.fetch('/static/generated/emoji/images/emoji/unicode/zulip.png', { as: null })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([bytes.toString('latin1', 1, 4), bytes.readUInt32BE(16)]).toEqual(['PNG', 64])
  })

  it('tells feature levels', async () => {
    house = await smallHouse()
    const answer = await house.fetch('/api/v1/changelog', { as: null })
    expect(await answer.json()).toMatchObject({
      result: 'success',
      feature_level: 509,
      levels: expect.any(Array),
    })
  })
})

describe('typeText', () => {
  it.each([
    [{ type: 'integer' }, 'integer'],
    [{ type: 'string', maxLength: 60 }, 'text, at most 60'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer | null'],
    [{ enum: ['a', 'b'] }, '"a" | "b"'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, '[text, integer]'],
    [{ type: 'object', properties: { a: {}, b: {} }, required: ['a'] }, 'object {a, b?}'],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'object of boolean'],
    [{}, 'any value'],
  ])('%j reads %j', (schema, text) => {
    expect(typeText(schema)).toBe(text)
  })
})
