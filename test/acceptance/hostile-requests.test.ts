/**
 * No request, however made, is answered with 5xx, and each refusal is a whole envelope. HOSTILE_REQUESTS says how many
 * are made, HOSTILE_SEED makes others.
 */
import { type AnyEndpoint, contracts } from '@parley/contracts'
import { type Client, seededRandom, World } from '@parley/testkit'
import { expect, it } from 'vitest'
import { type HostileRequest, hostileRequest } from './hostile-requests.ts'

const wanted = Number(process.env.HOSTILE_REQUESTS ?? 50_000)
// The same requests in every run, so that what fails is what changed; others are found with HOSTILE_SEED=$RANDOM.
const seed = Number(process.env.HOSTILE_SEED ?? 221_018)
const atOnce = 24

/** What is wrong with an answer; undefined when nothing is. */
const finding = (
  endpoint: AnyEndpoint,
  method: string,
  answer: { status: number; headers: Record<string, unknown>; text: string },
): string | undefined => {
  const { status, headers, text } = answer
  if (status >= 500) return `${status}`
  if (method === 'HEAD' || method === 'OPTIONS') return undefined
  if (endpoint.answer === 'stream' && status < 400) return undefined
  // A page says what is wrong as a page, to whoever did not ask for JSON.
  const isPage = endpoint.root === 'server' && /^text\/html/.test(String(headers['content-type']))
  if (endpoint.answer === 'stream' && isPage) return undefined
  if (!String(headers['content-type']).startsWith('application/json'))
    return `type ${headers['content-type']}`
  let body: Record<string, unknown>
  try {
    body = JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  const isSuccess = status === 200 && body.result === 'success' && typeof body.msg === 'string'
  const isRefusal =
    status >= 400 &&
    body.result === 'error' &&
    typeof body.msg === 'string' &&
    body.msg !== '' &&
    typeof body.code === 'string'
  return isSuccess || isRefusal ? undefined : 'no envelope'
}

const inShort = ({ method, target, headers, body }: HostileRequest): string =>
  `${method} ${target.slice(0, 300)} ${JSON.stringify(headers)} ${body?.toString('latin1').slice(0, 600) ?? ''}`

it(
  `no request is answered with 5xx or without an envelope (HOSTILE_SEED=${seed})`,
  async () => {
    const random = seededRandom(seed)
    const endpoints = Object.values(contracts)
      .flatMap(({ endpoints }) => Object.entries(endpoints as Record<string, AnyEndpoint>))
      .filter(([, { doors }]) => doors !== 'session')
    const newClients = async (): Promise<Client[]> => {
      const world = await World.create()
      return Promise.all([
        world.user({ role: 'owner' }),
        world.user({ role: 'owner' }),
        world.user(),
        world.user({ role: 'guest' }),
        world.stranger(),
      ])
    }
    let clients = await newClients()
    const findings = new Map<string, string>()
    let made = 0
    const work = async (): Promise<void> => {
      while (made < wanted) {
        made += 1
        // Accounts end, keys are replaced, organizations close: new ones now and then.
        if (made % 2000 === 0) clients = await newClients()
        const [operation, endpoint] = endpoints[Math.floor(random() * endpoints.length)]!
        const sent = hostileRequest(random, endpoint)
        const client = clients[Math.floor(random() * clients.length)]!
        const ask = () => client.sendRaw(sent.method, sent.target, sent.body, sent.headers)
        let answer = await ask()
        // Others run at the same time: who is told to come back comes back, once.
        if (answer.status === 503 && answer.headers['retry-after'] !== undefined) answer = await ask()
        const wrong = finding(endpoint, sent.method, answer)
        if (wrong !== undefined && !findings.has(`${operation} ${wrong}`)) {
          findings.set(`${operation} ${wrong}`, `${inShort(sent)} -> ${answer.text.slice(0, 200)}`)
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    expect(Object.fromEntries(findings)).toEqual({})
  },
  wanted * 50 + 60_000,
)
