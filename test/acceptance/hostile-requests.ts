/** Requests made from the contracts: what a careless, a broken and a malicious client would send. No I/O. */
import { type AnyEndpoint, pathParameters, servedRoot, wireKind } from '@parley/contracts'
import { schemaOf } from '@parley/contracts/openapi'
import type { z } from 'zod'

export type Random = () => number

export interface HostileRequest {
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: Buffer | undefined
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** Text that has been somebody's undoing before. */
const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '"',
  '\\',
  "'; DROP TABLE users; --",
  '%00',
  '%s%n',
  '../../etc/passwd',
  'null',
  'undefined',
  'true',
  'TRUE',
  '[]',
  '{}',
  '[1,2',
  '{"__proto__":{"id":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"a":1,"a":2}',
  '"\\u0000"',
  '"\\ud800"',
  '[null]',
  '[[[]]]',
  nested(99),
  nested(5000),
  '0',
  '-0',
  '-1',
  '1.5',
  '1e309',
  '-1e309',
  '1e-400',
  'NaN',
  'Infinity',
  '0x10',
  '1_000',
  '٣',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999999999',
  '1e18',
  '\u202eevil',
  '👩‍👩‍👧‍👦',
  'İ',
  'ß'.repeat(70),
  'é'.repeat(10_001),
  'a'.repeat(70_000),
  '@**all**',
  '```\n'.repeat(50),
  '$$\\def\\a{\\a\\a}\\a$$',
  '[x](javascript:alert(1))',
  '\r\nX-Injected: yes',
]

type Schema = Record<string, unknown>

const described = new WeakMap<z.ZodType, Schema>()

const describe = (schema: z.ZodType): Schema => {
  const known = described.get(schema)
  if (known !== undefined) return known
  const made = schemaOf(schema, 'input') as Schema
  described.set(schema, made)
  return made
}

/** Something that a schema describes, more or less. */
const fitting = (random: Random, schema: Schema, depth = 0): unknown => {
  if (random() < 0.06)
    return pick<unknown>(random, [null, true, 7, 'x', [], {}, -1, 1.5, [null], { a: null }])
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (options !== undefined) return fitting(random, pick(random, options), depth)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return pick(random, schema.enum)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return random() < 0.7
        ? Math.floor(random() * 60)
        : pick(random, [0, -1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e300])
    case 'boolean':
      return random() < 0.5
    case 'string':
      return random() < 0.5
        ? pick(random, ['alpha', 'general', 'x@y.example', 'newest', 'a b'])
        : pick(random, texts)
    case 'array': {
      const length = random() < 0.05 ? 2000 : Math.floor(random() * 3)
      const item = (Array.isArray(schema.prefixItems) ? undefined : schema.items) as Schema | undefined
      if (Array.isArray(schema.prefixItems)) {
        return (schema.prefixItems as Schema[]).map((part) => fitting(random, part, depth + 1))
      }
      return depth > 4 ? [] : Array.from({ length }, () => fitting(random, item ?? {}, depth + 1))
    }
    case 'object': {
      const entries = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
      const made = entries
        .filter(() => random() < 0.7)
        .map(([name, part]) => [name, fitting(random, part, depth + 1)] as const)
      return Object.fromEntries(random() < 0.1 ? [...made, [pick(random, texts), 1]] : made)
    }
    default:
      return pick<unknown>(random, [1, 'x', null, [], {}, true])
  }
}

/** UTF-8, with surrogates that stand alone written as broken programs write them. */
const bytesOf = (text: string): Buffer => {
  if (text.isWellFormed()) return Buffer.from(text)
  const parts = [...text].map((character) => {
    const code = character.charCodeAt(0)
    return character.isWellFormed()
      ? Buffer.from(character)
      : Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)])
  })
  return Buffer.concat(parts)
}

const percent = (text: string): string =>
  [...bytesOf(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
    })
    .join('')

const asText = (random: Random, value: unknown, schema: z.ZodType): string => {
  if (random() < 0.3) return pick(random, texts)
  if (typeof value === 'string' && wireKind(schema) !== 'json') return value
  return JSON.stringify(value) ?? 'undefined'
}

const strayNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'client',
  '',
  'x'.repeat(300),
  'a[b]',
]

const pathOf = (random: Random, endpoint: AnyEndpoint): string =>
  pathParameters(endpoint.path).reduce((path, name) => {
    const schema = (endpoint.params as Record<string, z.ZodType>)[name]!
    const value =
      random() < 0.7 ? String(fitting(random, describe(schema))) : pick(random, texts).slice(0, 2000)
    // A function, so that `$&` in a value is nothing special.
    return path.replace(new RegExp(`\\{${name}\\*?\\}`), () => percent(value))
  }, endpoint.path)

const boundary = '----hostile'

const encoders: Readonly<
  Record<string, (pairs: readonly (readonly [string, string])[], values: Record<string, unknown>) => Buffer>
> = {
  'application/x-www-form-urlencoded': (pairs) =>
    Buffer.from(pairs.map(([name, value]) => `${percent(name)}=${percent(value)}`).join('&')),
  'application/json': (_, values) => Buffer.from(JSON.stringify(values)),
  [`multipart/form-data; boundary=${boundary}`]: (pairs) =>
    Buffer.concat([
      ...pairs.flatMap(([name, value]) => [
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="${name.replace(/["\r\n]/g, '_')}"\r\n\r\n`,
        ),
        bytesOf(value),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
}

const wrongTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'a/b; c="',
  'application/xml',
]

/** One request to an endpoint. */
export const hostileRequest = (random: Random, endpoint: AnyEndpoint): HostileRequest => {
  const inPath = new Set(pathParameters(endpoint.path))
  const values: Record<string, unknown> = {}
  const pairs: [string, string][] = []
  for (const [name, schema] of Object.entries(endpoint.params as Record<string, z.ZodType>)) {
    if (inPath.has(name) || random() < 0.25) continue
    const value = fitting(random, describe(schema))
    values[name] = value
    pairs.push([name, asText(random, value, schema)])
    if (random() < 0.05) pairs.push([name, pick(random, texts)])
  }
  if (random() < 0.15) pairs.push([pick(random, strayNames), pick(random, texts)])
  const { method } = endpoint
  const target = `${servedRoot(endpoint)}${pathOf(random, endpoint)}`
  const isInQuery = method === 'GET' || method === 'HEAD' || endpoint.body === 'stream' || random() < 0.15
  const query = isInQuery
    ? pairs.map(([name, value]) => `${percent(name)}=${percent(value.slice(0, 3000))}`)
    : []
  // The last one counts: nobody waits for events here.
  if (endpoint.longPoll) query.push('dont_block=true')
  const full = query.length === 0 ? target : `${target}?${query.join('&').slice(0, 20_000)}`
  const rest = endpoint.longPoll && full.length > 20_000 ? `${target}?dont_block=true` : full
  if (isInQuery && endpoint.body !== 'stream') return { method, target: rest, headers: {}, body: undefined }
  const type = pick(random, Object.keys(encoders))
  let body = encoders[type]!(pairs, values)
  // Torn, or with a byte changed on the way.
  if (random() < 0.08) body = body.subarray(0, Math.floor(random() * body.length))
  if (random() < 0.05 && body.length > 0)
    body[Math.floor(random() * body.length)] = Math.floor(random() * 256)
  const headers = { 'content-type': random() < 0.06 ? pick(random, wrongTypes) : type }
  return { method, target: rest, headers, body }
}
