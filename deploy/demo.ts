import { ApiError, type RoleName, roles } from '@parley/contracts'
import { createRealm, createUser, findRealm, showApiKey } from '@parley/contracts/identity/internals'
import type { Ask } from '@parley/kit'
import { openManage } from './manage/open-manage.ts'
import type { Stack } from './stack.ts'

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

/**
 * The organization at the root host with its people and their channel, made where missing.
 *
 * @returns what the launcher prints: addresses, credentials, commands that work.
 */
export async function prepareDemo(stack: Stack, signal: AbortSignal): Promise<string> {
  const { url } = stack
  const health = await fetch(`${stack.address.origin}/health`, { signal })
  if (health.status !== 200) throw new Error(`GET ${url}/health answers ${health.status}`)
  const ask = openManage({ IDENTITY_URL: stack.address.identityUrl, SIGNING_KEY: stack.address.manageKey })
  const { realm } = await ask(findRealm, { subdomain: '' })
  if (realm === null) await ask(createRealm, { subdomain: '', name: 'Parley demo' })
  const accounts = []
  for (const person of people) accounts.push({ ...person, key: await keyOf(ask, person) })
  await subscribe(stack, accounts, signal)
  const [owner, member] = accounts
  return summary(stack, accounts, `${owner!.email}:${owner!.key}`, `${member!.email}:${member!.key}`)
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

async function subscribe(
  { address }: Stack,
  accounts: { email: string; key: string }[],
  signal: AbortSignal,
): Promise<void> {
  const [owner] = accounts
  const reply = await fetch(`${address.origin}/api/v1/users/me/subscriptions`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${owner!.email}:${owner!.key}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      subscriptions: JSON.stringify([{ name: channel }]),
      principals: JSON.stringify(accounts.map(({ email }) => email)),
    }),
    signal,
  })
  if (reply.status !== 200) throw new Error(`subscribing the demo's people: ${await reply.text()}`)
}

function summary(
  { url, logsDir }: Stack,
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
    '',
    `Logs: ${logsDir}    State: npm run status    End: Ctrl-C, or npm stop`,
  ].join('\n')
}
