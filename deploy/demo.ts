import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { ApiError, type RoleName, roles } from '@parley/contracts'
import { createRealm, createUser, findRealm, showApiKey } from '@parley/contracts/identity/internals'
import type { Ask } from '@parley/kit'
import { openManage } from './manage/open-manage.ts'

interface DemoUser {
  email: string
  name: string
  role: RoleName
}

const people: readonly DemoUser[] = [
  { email: 'ada@demo.example', name: 'Ada Lovelace', role: 'owner' },
  { email: 'grace@demo.example', name: 'Grace Hopper', role: 'member' },
  { email: 'alan@demo.example', name: 'Alan Turing', role: 'member' },
]
const channel = 'general'

/** Where the demo is made. */
interface Place {
  /** Of the root organization, as clients write it. */
  url: string
  /** Where the gateway is reached from here. */
  origin: string
  /** IDENTITY_URL and SIGNING_KEY of the issuer manage. */
  env: NodeJS.ProcessEnv
}

/**
 * The organization at the root host with its people and their channel, made where missing.
 *
 * @returns what the launcher prints: addresses, credentials, commands that work.
 */
export async function prepareDemo({ url, origin, env }: Place): Promise<string> {
  const publicHost = new URL(url).host
  const health = await fetch(`${origin}/health`)
  if (health.status !== 200) throw new Error(`GET ${url}/health answers ${health.status}`)
  const ask = openManage(env)
  const { realm } = await ask(findRealm, { subdomain: '' })
  if (realm === null) await ask(createRealm, { subdomain: '', name: 'Parley demo' })
  const accounts = []
  for (const person of people) accounts.push({ ...person, key: await keyOf(ask, person) })
  await subscribe(origin, publicHost, accounts)
  // Off by default; whoever tries things out wants to see them too ("development data: true").
  if (realm === null)
    await change(origin, publicHost, accounts[0]!, '/realm', { enable_read_receipts: 'true' })
  const [owner, member] = accounts
  return summary(url, accounts, `${owner!.email}:${owner!.key}`, `${member!.email}:${member!.key}`)
}

async function keyOf(ask: Ask, { email, name, role }: DemoUser): Promise<string> {
  try {
    return (await ask(showApiKey, { realm: '', email })).api_key
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  const made = { realm: '', email, full_name: name, role: roles[role], password: null }
  return (await ask(createUser, made)).api_key
}

const subscribe = (origin: string, host: string, accounts: { email: string; key: string }[]): Promise<void> =>
  change(
    origin,
    host,
    accounts[0]!,
    '/users/me/subscriptions',
    {
      subscriptions: JSON.stringify([{ name: channel }]),
      principals: JSON.stringify(accounts.map(({ email }) => email)),
    },
    'POST',
  )

/** The organization is found by the Host header, which `fetch` does not let one set: so by a plain request. */
async function change(
  origin: string,
  host: string,
  owner: { email: string; key: string },
  path: string,
  parameters: Record<string, string>,
  method = 'PATCH',
): Promise<void> {
  const sent = request(`${origin}/api/v1${path}`, {
    method,
    auth: `${owner.email}:${owner.key}`,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
  })
  sent.end(new URLSearchParams(parameters).toString())
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(reply)
  if (reply.statusCode !== 200) throw new Error(`${method} ${path} for the demo: ${answer}`)
}

function summary(
  url: string,
  accounts: { email: string; role: RoleName; key: string }[],
  sender: string,
  receiver: string,
): string {
  const api = `${url}/api/v1`
  const users = accounts.map(({ email, role, key }) => `  ${email.padEnd(20)} ${key}  ${role}`)
  const register = `curl -sS -u ${receiver} ${api}/register -d 'event_types=["message"]'`
  const queue = `$(${register} | sed -E 's/.*"queue_id": ?"([^"]+)".*/\\1/')`
  return [
    `Parley is at ${url}`,
    '',
    'People of the demo organization (e-mail, API key, role):',
    ...users,
    '',
    'Receive (waits for the next message):',
    `  curl -sS -u ${receiver} -G ${api}/events -d last_event_id=-1 -d "queue_id=${queue}"`,
    'Post:',
    `  curl -sS -u ${sender} ${api}/messages -d type=channel -d to=${channel} -d topic=greetings -d content=Hello`,
  ].join('\n')
}
