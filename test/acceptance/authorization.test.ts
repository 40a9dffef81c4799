/**
 * Who may call what: each endpoint of the contracts by each kind of caller, the expectation derived from the contract.
 * A body that is not JSON is sent where there is one: who may call is told so before anything happens, who may not is
 * told that instead.
 */
import { type AnyEndpoint, contracts, pathParameters, servedRoot } from '@parley/contracts'
import { deactivateUser } from '@parley/contracts/identity/internals'
import { type Client, type Credentials, succeeded, World } from '@parley/testkit'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

/** Smaller is more powerful; bots are members. */
interface Kind {
  readonly role: number
  readonly bot: number | null
}
type Caller =
  | { readonly name: string; readonly kind: Kind; readonly client: Client }
  /** Whose credentials are good for nothing, and what it is told. */
  | { readonly name: string; readonly refusal: string; readonly client: Client }

const callers: Caller[] = []

beforeAll(async () => {
  const world = await World.create()
  const other = await World.create()
  const owner = await world.user({ role: 'owner' })
  callers.push({ name: 'owner', kind: { role: 100, bot: null }, client: owner })
  for (const [role, number] of [
    ['administrator', 200],
    ['moderator', 300],
    ['member', 400],
    ['guest', 600],
  ] as const) {
    callers.push({ name: role, kind: { role: number, bot: null }, client: await world.user({ role }) })
  }
  for (const [name, bot] of [
    ['generic bot', 1],
    ['incoming-webhook bot', 2],
    ['outgoing-webhook bot', 3],
  ] as const) {
    const sent = {
      full_name: name,
      short_name: `bot${bot}`,
      bot_type: bot,
      payload_url: 'https://x.example/',
    }
    const made = await succeeded(owner.post('/bots', sent))
    const { user } = await succeeded(owner.get(`/users/${made.user_id}`))
    const credentials: Credentials = { email: user.email, key: made.api_key }
    callers.push({ name, kind: { role: 400, bot }, client: world.stranger(credentials) })
  }
  const gone = await world.user()
  await world.ask(deactivateUser, { realm: world.subdomain, email: gone.email })
  callers.push({ name: 'deactivated', refusal: 'USER_DEACTIVATED', client: gone })
  const foreign = (await other.user()).credentials!
  callers.push({ name: 'other organization', refusal: 'INVALID_API_KEY', client: world.stranger(foreign) })
  const wrong = { email: owner.email, key: 'x'.repeat(32) }
  callers.push({ name: 'wrong key', refusal: 'INVALID_API_KEY', client: world.stranger(wrong) })
  callers.push({ name: 'anonymous', refusal: 'UNAUTHORIZED', client: world.stranger() })
})

const lowestRole = { member: 400, moderator: 300, administrator: 200, owner: 100 } as const

/** The code that the caller must be refused with; undefined when it may call. */
const refusalFor = (endpoint: AnyEndpoint, caller: Caller): string | undefined => {
  const { access, webhookBots } = endpoint
  if (access === 'anyone') return undefined
  if ('refusal' in caller) {
    const looksOn = access === 'spectator' && caller.name === 'anonymous'
    return looksOn ? undefined : caller.refusal
  }
  const { role, bot } = caller.kind
  if (bot === 2 && !webhookBots) return 'BAD_REQUEST'
  switch (access) {
    case 'spectator':
    case 'authenticated':
      return undefined
    case 'human':
      return bot === null ? undefined : 'BAD_REQUEST'
    case 'bot':
      return bot === null ? 'PERMISSION_DENIED' : undefined
    case 'member':
      return role <= lowestRole.member ? undefined : 'BAD_REQUEST'
    default:
      return role <= lowestRole[access] ? undefined : 'UNAUTHORIZED_PRINCIPAL'
  }
}

const sentences = [
  'This API is not available to incoming webhook bots.',
  'This endpoint does not accept bot requests.',
  'Not allowed for guest users',
]

/** What any refusal of this kind looks like, so that what is not one is told apart from it. */
const isRefusalOfAccess = (status: number, body: { code?: string; msg?: string }): boolean =>
  status === 401 || sentences.includes(body.msg ?? '')

const targetOf = (endpoint: AnyEndpoint): string =>
  pathParameters(endpoint.path).reduce(
    (path, name) =>
      path.replace(
        new RegExp(`\\{${name}\\*?\\}`),
        (endpoint.params as z.ZodRawShape)[name] instanceof z.ZodNumber ? '2147483000' : 'x',
      ),
    endpoint.path,
  )

const brokenJson = '{"'

const check = async (operation: string, endpoint: AnyEndpoint, caller: Caller): Promise<string[]> => {
  const { method } = endpoint
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const target = `${servedRoot(endpoint)}${targetOf(endpoint)}${endpoint.longPoll ? '?dont_block=true' : ''}`
  const { status, headers, text } = await caller.client.sendRaw(
    method,
    target,
    hasBody ? brokenJson : undefined,
    {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
  )
  const body = text === '' || !String(headers['content-type']).includes('json') ? {} : JSON.parse(text)
  const said = `${operation} (${endpoint.access}) by ${caller.name}: ${status} ${text.slice(0, 200)}`
  const expected = refusalFor(endpoint, caller)
  if (expected !== undefined) {
    if (method === 'HEAD') return status >= 400 ? [] : [said]
    const isRight = body.result === 'error' && body.code === expected && status >= 400 && status < 500
    return isRight && (status !== 401 || headers['www-authenticate'] !== undefined) ? [] : [said]
  }
  // What is not parsed as parameters comes to the handler, which refuses what is not there.
  if (hasBody && endpoint.body === 'parameters') return body.code === 'INVALID_JSON' ? [] : [said]
  // The organization of this test lets nobody look on.
  if (endpoint.access === 'spectator' && caller.name === 'anonymous') return status === 401 ? [] : [said]
  return status < 500 && !isRefusalOfAccess(status, body) ? [] : [said]
}

it('holds for every endpoint and every kind of caller', async () => {
  const rows = Object.values(contracts).flatMap(({ endpoints }) =>
    Object.entries(endpoints as Record<string, AnyEndpoint>).filter(([, { doors }]) => doors !== 'session'),
  )
  const cells = rows.flatMap(([operation, endpoint]) =>
    callers.map((caller) => ({ operation, endpoint, caller })),
  )
  expect(cells.length).toBeGreaterThan(12 * 50)
  const wrong: string[] = []
  const work = async (): Promise<void> => {
    for (let cell = cells.pop(); cell !== undefined; cell = cells.pop()) {
      wrong.push(...(await check(cell.operation, cell.endpoint, cell.caller)))
    }
  }
  await Promise.all(Array.from({ length: 12 }, work))
  expect(wrong).toEqual([])
})
