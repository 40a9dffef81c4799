import { describe, expect, it } from 'vitest'
import { parseBoundedJson } from './bounded-json.ts'

const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth)

describe('parseBoundedJson', () => {
  it('parses what is nested reasonably, brackets in strings not counted', () => {
    expect(parseBoundedJson(nested(100))).toBeDefined()
    const text = JSON.stringify({ a: '['.repeat(500), b: `\\"${'{'.repeat(500)}`, c: [{}, [], {}] })
    expect(parseBoundedJson(text)).toEqual(JSON.parse(text))
    expect(parseBoundedJson(`[${'[],{},'.repeat(500)}1]`)).toHaveLength(1001)
  })

  it.each([
    nested(101),
    nested(1_000_000),
    nested(101, '{"a":[', ']}'),
    '['.repeat(200),
    `{"a":"\\\\","b":${nested(150)}}`,
  ])('refuses what is nested too deeply', (text) => {
    expect(() => parseBoundedJson(text)).toThrow('nested too deeply')
  })

  it.each(['"a\\u0000b"', '{"a":["\\u0000"]}', '{"a\\u0000":1}'])(
    'refuses the null character in %s',
    (text) => {
      expect(() => parseBoundedJson(text)).toThrow('null character')
    },
  )

  it('makes lone surrogates storable, and leaves pairs and escaped backslashes alone', () => {
    expect(parseBoundedJson('["\\ud800", "\\ud83d\\ude00", "\\\\u0000", "\\\\ud800"]')).toEqual([
      '\ufffd',
      '\u{1f600}',
      '\\u0000',
      '\\ud800',
    ])
    expect(parseBoundedJson('{"__proto__":"\\ud800"}')).toEqual(JSON.parse('{"__proto__":"\ufffd"}'))
  })

  it('says of other text what JSON.parse says', () => {
    expect(() => parseBoundedJson('{')).toThrow(SyntaxError)
  })
})
