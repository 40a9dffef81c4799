import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { IncludeSubscribers } from './channels/channel-parameters.ts'
import { ApiError } from './errors.ts'
import { either, quotable } from './parameter.ts'
import { parameterReader } from './parameter-reading.ts'

const read = (
  params: z.ZodRawShape,
  sent: Record<string, unknown>,
  path: Record<string, string> = {},
  aliases: Record<string, string[]> = {},
) => parameterReader(params, aliases)(sent, path)

const refusalOf = (work: () => unknown): ApiError => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('parameters as clients send them', () => {
  it('takes strings raw, even when they look like JSON', () => {
    expect(read({ content: z.string() }, { content: '"12"' }).values).toEqual({ content: '"12"' })
    expect(read({ content: z.string() }, { content: 'null' }).values).toEqual({ content: 'null' })
  })

  it('reads booleans in any case and integers in decimal text', () => {
    const params = { wanted: z.boolean().default(false), count: z.int() }
    expect(read(params, { wanted: 'TRUE', count: '12' }).values).toEqual({ wanted: true, count: 12 })
    expect(read(params, { wanted: false, count: 12 }).values).toEqual({ wanted: false, count: 12 })
  })

  it('reads arrays and objects from JSON text', () => {
    const params = { ids: z.array(z.int()), capabilities: z.object({ a: z.boolean() }) }
    expect(read(params, { ids: '[1,2]', capabilities: '{"a":true}' }).values).toEqual({
      ids: [1, 2],
      capabilities: { a: true },
    })
  })

  it('takes an ID, a name, or a list of either where the parameter allows it', () => {
    const params = { to: either(z.union([z.int(), z.string(), z.array(z.int()), z.array(z.string())])) }
    const cases: [unknown, unknown][] = [
      ['7', 7],
      ['"general"', 'general'],
      ['general', 'general'],
      ['[7,8]', [7, 8]],
      ['["a@x.org"]', ['a@x.org']],
      ['a@x.org, b@x.org', 'a@x.org, b@x.org'],
    ]
    for (const [sent, expected] of cases) expect(read(params, { to: sent }).values).toEqual({ to: expected })
  })

  it('takes a boolean in any case also beside a word', () => {
    const params = { include_subscribers: IncludeSubscribers }
    for (const [sent, expected] of [
      ['true', true],
      ['True', true],
      ['FALSE', false],
      ['partial', 'partial'],
    ] as const) {
      expect(read(params, { include_subscribers: sent }).values).toEqual({ include_subscribers: expected })
    }
    expect(refusalOf(() => read(params, { include_subscribers: 'some' })).code).toBe('BAD_REQUEST')
  })

  it('unquotes a string that a client JSON-encoded where the parameter allows it', () => {
    const params = { url: quotable(z.string()) }
    expect(read(params, { url: '"http://x"' }).values).toEqual({ url: 'http://x' })
    expect(read(params, { url: 'http://x' }).values).toEqual({ url: 'http://x' })
  })

  it('treats the text null as absent where null means nothing, and as null where it means something', () => {
    expect(read({ queue_id: z.string().optional() }, { queue_id: 'null' }).values).toEqual({})
    expect(read({ limit: z.int().default(5) }, { limit: 'null' }).values).toEqual({ limit: 5 })
    expect(read({ expires: z.int().nullable().optional() }, { expires: 'null' }).values).toEqual({
      expires: null,
    })
  })

  it('reports unknown parameters, and path parameters repeated in the body, instead of refusing them', () => {
    const outcome = read({ id: z.int() }, { id: '3', dont_block: 'true', client: 'x' }, { id: '3' })
    expect(outcome).toEqual({ values: { id: 3 }, ignored: ['id', 'dont_block'] })
  })

  it('refuses a parameter together with its alias', () => {
    const refusal = refusalOf(() =>
      read({ topic: z.string().optional() }, { topic: 'a', subject: 'b' }, {}, { topic: ['subject'] }),
    )
    expect(refusal.body()).toMatchObject({
      code: 'REQUEST_CONFUSING_VAR',
      var_name1: 'topic',
      var_name2: 'subject',
    })
  })

  it('names the parameter that is missing', () => {
    expect(refusalOf(() => read({ to: z.string() }, {})).body()).toEqual({
      result: 'error',
      msg: "Missing 'to' argument",
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'to',
    })
  })

  it.each([
    [{ id: z.int() }, { id: 'abc' }, 'id is not valid JSON'],
    [{ id: z.int() }, { id: '1.5' }, 'id is not an integer'],
    [{ ids: z.array(z.int()) }, { ids: '[1,"x"]' }, 'ids[1] is not an integer'],
    [{ on: z.boolean() }, { on: '3' }, 'on is not a boolean'],
    [{ subs: z.array(z.object({ name: z.string() })) }, { subs: '[{}]' }, 'subs[0]["name"] field is missing'],
    [{ id: z.int() }, { id: '9e99' }, 'id is too large (limit: 9007199254740991)'],
    [
      { to: z.union([z.int(), z.object({ ids: z.union([z.string(), z.array(z.int()).max(1)]) })]) },
      { to: '{"ids":[1,2]}' },
      'to["ids"] is too large (limit: 1)',
    ],
  ])('says what is wrong with a malformed value (%#)', (params, sent, message) => {
    const refusal = refusalOf(() => read(params, sent))
    expect([refusal.code, refusal.message]).toEqual(['BAD_REQUEST', message])
  })

  it('is not confused by names from the prototype of objects', () => {
    const sent = JSON.parse('{"__proto__": {"id": 1}, "constructor": "x", "toString": "y"}')
    expect(refusalOf(() => read({ id: z.int() }, sent)).code).toBe('REQUEST_VARIABLE_MISSING')
    expect(read({}, sent).ignored).toEqual(['__proto__', 'constructor', 'toString'])
  })
})
