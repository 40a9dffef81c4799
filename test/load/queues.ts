/** What event queues cost: registering, one event for everybody, waiting. */
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '@parley/db'
import { succeeded, type TestUser, World } from '@parley/testkit'
import type { Stack } from '../../deploy/stack.ts'
import { quantile } from './measurements.ts'
import { cpuOf } from './process-cpu.ts'
import type { Target } from './target.ts'

/** A system that is measured. */
type BenchedStack = Pick<Stack, 'address' | 'databaseUrls'>

/** Does `work` for 0 up to `count`, a few at a time. */
const forEach = async (
  count: number,
  atOnce: number,
  work: (place: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const channelsOfEach = 10

/** Accounts that are only read, written straight into the database of identity: making each takes ten times as long. */
const crowd = async (world: World, databaseUrl: string, count: number): Promise<number[]> => {
  const { sql, close } = await openDatabase({ url: databaseUrl, service: 'bench', poolSize: 1 })
  const made = await sql<{ id: number }[]>`
    INSERT INTO users (
      realm_id, email, delivery_email, full_name, role, email_address_visibility, api_key_hash, api_key_encrypted)
    SELECT ${world.realmId}, mail, mail, 'One of a crowd ' || n, 400, 1, sha256(convert_to(mail, 'UTF8')), '\\x00'
    FROM generate_series(1, ${count}::int) AS n,
      LATERAL (SELECT 'crowd' || n || '@' || ${world.subdomain} || '.example' AS mail) one
    RETURNING id`
  await close()
  return made.map(({ id }) => id)
}

/** An organization in which everybody is in ten of the channels; some of the people can call. */
const largeOrganization = async (
  { address, databaseUrls }: BenchedStack,
  { users, channels, callers }: { users: number; channels: number; callers: number },
): Promise<TestUser[]> => {
  const world = await World.create(address)
  const owner = await world.user({ role: 'owner' })
  const people: TestUser[] = []
  await forEach(callers, 20, async () => people.push(await world.user()))
  const everybody = [
    ...people.map(({ id }) => id),
    ...(await crowd(world, databaseUrls.identity, users - callers)),
  ]
  const groups = channels / channelsOfEach
  await forEach(groups, 4, async (group) =>
    succeeded(
      owner.post('/users/me/subscriptions', {
        subscriptions: Array.from({ length: channelsOfEach }, (_, n) => ({
          name: `channel ${group * channelsOfEach + n}`,
          description: 'What this channel is about.',
        })),
        principals: everybody.filter((_, n) => n % groups === group),
        announce: false,
      }),
    ),
  )
  return people
}

const timed = async (times: number[], work: () => Promise<unknown>): Promise<void> => {
  const began = performance.now()
  await work()
  times.push(performance.now() - began)
}

const inOrder = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b)

/** `POST /register` as a web client sends it: one at a time, then a herd of clients that lost their queues at once. */
export const registrations = async (
  stack: BenchedStack,
  { users, channels, calls, herd }: { users: number; channels: number; calls: number; herd: number },
): Promise<{ p50: number; p99: number; kib: number; herdSeconds: number; herdP99: number }> => {
  const people = await largeOrganization(stack, { users, channels, callers: herd })
  const wish = {
    client_gravatar: true,
    slim_presence: true,
    include_subscribers: 'partial',
    apply_markdown: true,
  }
  let bytes = 0
  const register = async (place: number) => {
    const { queue_id, ...state } = await succeeded(people[place % people.length]!.post('/register', wish))
    if (bytes === 0) bytes = JSON.stringify(state).length
    return queue_id as string
  }
  for (let warm = 0; warm < 20; warm += 1) await register(warm)
  const alone: number[] = []
  for (let call = 0; call < calls; call += 1) await timed(alone, () => register(call))

  // Who comes back after losing a queue asks for what changes, not for all the people again.
  const small = {
    fetch_event_types: ['message', 'subscription', 'user_settings', 'realm_emoji'],
    event_types: null,
  }
  const together: number[] = []
  const began = performance.now()
  await Promise.all(
    Array.from({ length: herd }, (_, place) =>
      timed(together, () => succeeded(people[place % people.length]!.post('/register', small))),
    ),
  )
  const herdSeconds = (performance.now() - began) / 1000
  const [one, many] = [inOrder(alone), inOrder(together)]
  return {
    p50: quantile(one, 0.5),
    p99: quantile(one, 0.99),
    kib: bytes / 1024,
    herdSeconds,
    herdP99: quantile(many, 0.99),
  }
}

/** Opens this many clients, each with a queue of its own. */
const openMany = async (target: Target, clients: number, onMessage: () => void) => {
  const open: { stop(): void }[] = []
  await forEach(clients, 50, async (place) => open.push(await target.receive(place, onMessage)))
  return open
}

/** Milliseconds after which a message that somebody still lacks is taken for lost. */
const longestDelivery = 60_000

/** One message that every queue receives: milliseconds until the last client has it, and deliveries per second. */
export const oneToAll = async (
  target: Target,
  clients: number,
  rounds: number,
): Promise<{ last: number; rate: number }> => {
  let delivered = 0
  let everybodyHasIt: () => void = () => {}
  const open = await openMany(target, clients, () => {
    delivered += 1
    if (delivered % clients === 0) everybodyHasIt()
  })
  const times: number[] = []
  for (let round = 0; round < rounds + 2; round += 1) {
    // Everybody is back at the door.
    await pause(1000)
    const done = new Promise<void>((resolve) => {
      everybodyHasIt = resolve
    })
    const late = AbortSignal.timeout(longestDelivery)
    const lost = new Promise<never>((_, reject) => {
      late.onabort = () =>
        reject(new Error(`${clients - (delivered % clients)} queues did not get a message`))
    })
    const began = performance.now()
    await Promise.all([target.send(0, 'one for everybody'), Promise.race([done, lost])])
    late.onabort = null
    if (round >= 2) times.push(performance.now() - began)
  }
  for (const client of open) client.stop()
  const last = quantile(inOrder(times), 0.5)
  return { last, rate: clients / (last / 1000) }
}

/** What it costs that many clients wait and nothing happens: CPU of all processes in `pids`, per cent of one core. */
export const idleCpu = async (target: Target, clients: number, seconds: number): Promise<{ cpu: number }> => {
  await openMany(target, clients, () => {})
  await pause(5000)
  const named = Object.fromEntries(target.pids().map((pid) => [String(pid), pid]))
  const sum = async () => [...(await cpuOf(named)).values()].reduce((total, cpu) => total + cpu, 0)
  const before = await sum()
  await pause(seconds * 1000)
  return { cpu: ((await sum()) - before) / (seconds * 10_000) }
}
