/**
 * Through which door who comes in: each endpoint of the contracts at `/json` and at `/api/v1`, with a session, with Basic,
 * with and without the CSRF token. As in authorization.test.ts, a body that is not JSON shows that somebody was let in
 * before anything happens.
 */
import { type AnyEndpoint, contracts, pathParameters } from '@parley/contracts'
import { type Client, type TestUser, World } from '@parley/testkit'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

const password = 'through the other door'

let anna: TestUser
let browser: Client
let cookie: string
let token: string

beforeAll(async () => {
  const world = await World.create()
  anna = await world.user({ role: 'owner', password })
  browser = world.stranger()
  const form = new URLSearchParams({ username: anna.email, password }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, headers } = await browser.sendRaw('POST', '/json/login', form, type)
  expect(status).toBe(200)
  const cookies = [headers['set-cookie']].flat().map((one) => one!.split(';')[0]!)
  cookie = cookies.join('; ')
  token = cookies.find((one) => one.startsWith('csrftoken='))!.slice('csrftoken='.length)
})

const endpoints = Object.values(contracts).flatMap(({ endpoints }) =>
  Object.entries(endpoints as Record<string, AnyEndpoint>).filter(([, { root }]) => root === 'api'),
)

const pathOf = ({ path, params, longPoll }: AnyEndpoint): string => {
  const shape = params as z.ZodRawShape
  const filled = pathParameters(path).reduce(
    (text, name) =>
      text.replace(new RegExp(`\\{${name}\\*?\\}`), shape[name] instanceof z.ZodNumber ? '2147483000' : 'x'),
    path,
  )
  return longPoll ? `${filled}?dont_block=true` : filled
}

interface Said {
  readonly status: number
  readonly code: string | undefined
  /** What of the budget's headers is missing. */
  readonly silent: readonly string[]
  readonly text: string
}

const budget = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

const ask = async (
  client: Client,
  door: '/json' | '/api/v1',
  endpoint: AnyEndpoint,
  headers: Record<string, string> = {},
): Promise<Said> => {
  const { method } = endpoint
  const broken = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? undefined : '{"'
  const type = broken === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await client.sendRaw(method, `${door}${pathOf(endpoint)}`, broken, { ...type, ...headers })
  const isJson = String(answer.headers['content-type']).includes('json') && answer.text !== ''
  return {
    status: answer.status,
    code: isJson ? JSON.parse(answer.text).code : undefined,
    silent: budget.filter((name) => !/^\d+$/.test(String(answer.headers[name]))),
    text: answer.text.slice(0, 200),
  }
}

const changes = ({ method }: AnyEndpoint): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method)

/**
 * Whether an answer says that nobody came in. Who looks on without an account may ask for some things, and organizations
 * that let nobody look on say so once the parameters are read.
 */
const isNobody = (endpoint: AnyEndpoint, { status, code }: Said): boolean => {
  if (endpoint.method === 'HEAD') return status === 401
  if (endpoint.access === 'spectator' && changes(endpoint) && code === 'INVALID_JSON') return true
  return status === 401 && code === 'UNAUTHORIZED'
}

/** Whether an answer says that somebody came in: whatever is refused then, it is not the caller. */
const isIn = (endpoint: AnyEndpoint, { status, code }: Said): boolean => {
  if (changes(endpoint) && endpoint.body === 'parameters') return code === 'INVALID_JSON'
  return status < 500 && status !== 401 && code !== 'CSRF_FAILED'
}

/** Runs a check of every endpoint, several at a time, and gathers what was found. */
const findings = async (
  of: readonly (readonly [string, AnyEndpoint])[],
  check: (endpoint: AnyEndpoint) => Promise<[said: Said, isRight: boolean]>,
): Promise<string[]> => {
  const left = [...of]
  const found: string[] = []
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [operation, endpoint] = next
      const [said, isRight] = await check(endpoint)
      if (!isRight) found.push(`${operation}: ${said.status} ${said.text}`)
      if (said.silent.length > 0) found.push(`${operation}: ${said.status} without ${said.silent}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return found
}

// Sessions are ended by some of these.
const lasting = endpoints.filter(([, { doors, path }]) => doors !== 'session' || path === '/sessions')
const forPeople = lasting.filter(([, { access }]) => access !== 'bot')

it('/json has every endpoint for a session with its token', async () => {
  expect(forPeople.length).toBeGreaterThan(150)
  const wrong = await findings(forPeople, async (endpoint) => {
    if (endpoint.doors === 'session' && changes(endpoint))
      return [{ status: 0, code: '', silent: [], text: '' }, true]
    const said = await ask(browser, '/json', endpoint, { cookie, 'x-csrftoken': token })
    return [said, isIn(endpoint, said)]
  })
  expect(wrong).toEqual([])
})

it('/json changes nothing without the token, or with another', async () => {
  const wrong = await findings(
    lasting.filter(([, endpoint]) => changes(endpoint) && endpoint.doors !== 'open'),
    async (endpoint) => {
      const without = await ask(browser, '/json', endpoint, { cookie })
      const other = await ask(browser, '/json', endpoint, { cookie, 'x-csrftoken': token.replace(/./g, 'x') })
      return [without, without.code === 'CSRF_FAILED' && other.code === 'CSRF_FAILED']
    },
  )
  expect(wrong).toEqual([])
})

it('/json does not look at Basic', async () => {
  const wrong = await findings(
    lasting.filter(([, { access, doors }]) => access !== 'anyone' && doors !== 'open'),
    async (endpoint) => {
      const said = await ask(anna, '/json', endpoint)
      return [said, isNobody(endpoint, said)]
    },
  )
  expect(wrong).toEqual([])
})

it('/api/v1 does not look at cookies, but for files and resumable uploads', async () => {
  const closed = endpoints.filter(([, { access, doors }]) => access !== 'anyone' && doors !== 'open')
  const wrong = await findings(closed, async (endpoint) => {
    const said = await ask(browser, '/api/v1', endpoint, { cookie, 'x-csrftoken': token })
    if (endpoint.doors === 'session') return [said, said.status === 404]
    if (endpoint.doors === 'files') return [said, isIn(endpoint, said)]
    return [said, isNobody(endpoint, said)]
  })
  expect(wrong).toEqual([])
})
