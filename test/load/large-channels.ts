import { readFile } from 'node:fs/promises'
import { openDatabase } from '@parley/db'
import { type StackAddress, succeeded, World } from '@parley/testkit'

/** Accounts subscribed by one call. */
const crowd = 10_000
/** Of the listing. */
const members = 5000
/** Filled by one statement. */
const channelsAtATime = 20

interface LargeChannelCost {
  readonly what: string
  /** Milliseconds until the answer is parsed; the best of some. */
  readonly milliseconds: number
  /** Of the answer. */
  readonly bytes: number
  /** By how much the most memory that the process ever held has grown, MiB. */
  readonly mebibytes: number
}

const mostMemory = async (pid: number): Promise<number> =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/**
 * What large channels cost: to subscribe ten thousand people in one call, and to list the subscriptions of somebody in
 * `channels` channels of five thousand members each. The people exist in the database of channels only.
 */
export const largeChannelCosts = async (
  stack: StackAddress,
  databaseUrl: string,
  pid: number,
  channels: number,
): Promise<LargeChannelCost[]> => {
  const world = await World.create(stack)
  const owner = await world.user({ role: 'owner' })
  const costs: LargeChannelCost[] = []
  const measure = async (what: string, rounds: number, ask: () => Promise<unknown>): Promise<void> => {
    const before = await mostMemory(pid)
    let milliseconds = Number.POSITIVE_INFINITY
    let bytes = 0
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now()
      const reply = await ask()
      milliseconds = Math.min(milliseconds, performance.now() - began)
      bytes = JSON.stringify(reply).length
    }
    costs.push({ what, milliseconds, bytes, mebibytes: (await mostMemory(pid)) - before })
  }

  const database = await openDatabase({
    url: databaseUrl,
    service: 'bench',
    poolSize: 1,
    statementMilliseconds: 0,
  })
  const { sql } = database
  // Whoever has done something is known to channels.
  await succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'first' }] }))
  const people = (
    await sql<{ id: number }[]>`
      INSERT INTO users (
        id, realm_id, email, delivery_email, full_name, role, is_active, avatar_source, avatar_version, version)
      SELECT 1000000000 + n, u.realm_id, 'p' || n || '@bench.example', 'p' || n || '@bench.example', 'Person ' || n, 400,
        true, 'G', 1, 1
      FROM users u, generate_series(1, ${crowd}) AS n WHERE u.id = ${owner.id}
      RETURNING id`
  ).map((row) => row.id)
  if (people.length !== crowd) throw new Error(`${people.length} people were made, not ${crowd}`)
  const subscriptions = [{ name: 'everybody' }]
  await measure(`${crowd} people subscribed in one call`, 1, () =>
    succeeded(owner.post('/users/me/subscriptions', { subscriptions, principals: [owner.id, ...people] })),
  )
  const leave = { subscriptions: ['everybody'], principals: people }
  await measure(`${crowd} people unsubscribed in one call`, 1, () =>
    succeeded(owner.delete('/users/me/subscriptions', leave)),
  )

  const names = Array.from({ length: channels }, (_, n) => ({ name: `large ${n}` }))
  for (let first = 0; first < channels; first += 200) {
    const some = names.slice(first, first + 200)
    await succeeded(owner.post('/users/me/subscriptions', { subscriptions: some }))
  }
  const large = await sql<{ id: number }[]>`SELECT id FROM channels WHERE name LIKE 'large %' ORDER BY id`
  for (let first = 0; first < large.length; first += channelsAtATime) {
    const some = large.slice(first, first + channelsAtATime).map((row) => row.id)
    await sql`
      INSERT INTO subscription_periods (channel_id, user_id, from_version, after_message_id)
      SELECT c.id, u.id, c.membership_version, 0
      FROM channels c CROSS JOIN unnest(${people.slice(0, members - 1)}::bigint[]) AS u(id)
      WHERE c.id = ANY (${some}::bigint[]) ORDER BY c.id, u.id`
  }
  await sql`UPDATE channels SET subscriber_count = ${members} WHERE name LIKE 'large %'`
  // One of ten was active lately.
  await sql`
    INSERT INTO user_activity (user_id, last_day)
    SELECT id, current_date FROM unnest(${people}::bigint[]) AS id WHERE id % 10 = 0`
  await sql`ANALYZE`
  await database.close()
  for (const include_subscribers of [false, 'partial', true]) {
    await measure(`${channels} channels of ${members}, include_subscribers=${include_subscribers}`, 3, () =>
      succeeded(owner.get('/users/me/subscriptions', { include_subscribers })),
    )
  }
  return costs
}
