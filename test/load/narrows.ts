import { openDatabase } from '@parley/db'
import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { quantile } from './measurements.ts'
import { seedMessages } from './narrow-seed.ts'

/** The organization in which narrows are measured. */
const crowd = { users: 60, channels: 200, private: 20, conversations: 40 }

interface NarrowCost {
  readonly narrow: string
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
}

interface Wish {
  readonly narrow: readonly (readonly [operator: string, operand: unknown, negated?: true])[]
  readonly anchor: string | number
  readonly num_before: number
  readonly num_after: number
}

/** Each connection of the service's pool plans a statement five times before it keeps a plan. */
const warmUps = 50
const newest = { anchor: 'newest', num_before: 100, num_after: 0 }

/** What clients ask for: every operator, alone, negated and with others; each by its name. */
const narrowsToMeasure = (
  names: {
    readonly channel: string
    readonly quiet: string
    readonly secret: string
    readonly partner: number
  },
  middleId: number,
): Record<string, Wish> => {
  const { channel, quiet, secret, partner } = names
  const single: Wish['narrow'][number][] = [
    ['channel', channel],
    ['channel', secret],
    ['topic', 'topic 99'],
    ['topic', 'never written'],
    ['sender', partner],
    ['dm', [partner]],
    ['dm-including', partner],
    ...['dm', 'starred', 'mentioned', 'alerted', 'unread', 'resolved', 'followed', 'muted'].map(
      (kind) => ['is', kind] as const,
    ),
    ...['link', 'image', 'attachment', 'reaction'].map((kind) => ['has', kind] as const),
    ['channels', 'public'],
    ['channels', 'archived'],
    ['mentions', partner],
    ['in', 'home'],
    ['in', 'all'],
  ]
  const named = (narrow: Wish['narrow']): string =>
    narrow.map(([operator, operand, negated]) => `${negated ? '-' : ''}${operator}:${operand}`).join(' ') ||
    'everything'
  const narrows: Wish['narrow'][] = [
    [],
    ...single.map((term) => [term]),
    ...single
      .filter(([operator]) => operator !== 'in')
      .map(([operator, operand]) => [[operator, operand, true] as const]),
    [
      ['channel', channel],
      ['topic', 'topic 7'],
    ],
    [
      ['channel', quiet],
      ['topic', 'topic 99'],
    ],
    [
      ['channel', channel],
      ['sender', partner],
    ],
    [
      ['channel', channel],
      ['is', 'unread'],
    ],
    [
      ['channel', channel],
      ['has', 'image'],
    ],
    [
      ['is', 'followed'],
      ['is', 'unread'],
    ],
    [
      ['sender', partner],
      ['has', 'attachment'],
    ],
    [['id', middleId]],
    [['with', middleId]],
  ]
  const wishes = Object.fromEntries(narrows.map((narrow) => [named(narrow), { narrow, ...newest }]))
  const around = { anchor: middleId, num_before: 50, num_after: 50 }
  const firstUnread = { anchor: 'first_unread', num_before: 50, num_after: 50 }
  return {
    ...wishes,
    'everything, oldest': { narrow: [], anchor: 'oldest', num_before: 0, num_after: 100 },
    'everything, around a message': { narrow: [], ...around },
    'everything, first unread': { narrow: [], ...firstUnread },
    'channel, first unread': { narrow: [['channel', channel]], ...firstUnread },
    'channel, near a message': {
      narrow: [
        ['channel', channel],
        ['near', middleId],
      ],
      ...around,
    },
    'search, a rare word': { narrow: [['search', 'word3990']], ...newest },
    'search, two words': { narrow: [['search', 'word100 word200']], ...newest },
    'search, a frequent word': { narrow: [['search', 'word0']], ...newest },
    'search in a channel': {
      narrow: [
        ['channel', channel],
        ['search', 'word5'],
      ],
      ...newest,
    },
  }
}

const asParameters = ({ narrow, ...window }: Wish) => ({
  ...window,
  narrow: narrow.map(([operator, operand, negated]) => ({ operator, operand, ...(negated && { negated }) })),
})

/** Milliseconds that `ask` takes. */
const timed = async (ask: () => Promise<unknown>, rounds: number): Promise<Omit<NarrowCost, 'narrow'>> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

const inTurns = async <T>(count: number, together: number, work: (n: number) => Promise<T>): Promise<T[]> => {
  const done: T[] = []
  for (let n = 0; n < count; n += together) {
    const some = Array.from({ length: Math.min(together, count - n) }, (_, k) => work(n + k))
    done.push(...(await Promise.all(some)))
  }
  return done
}

const people = async (world: World): Promise<{ reader: TestUser; others: TestUser[] }> => {
  const [reader, ...others] = await inTurns(crowd.users, 10, () => world.user({ role: 'administrator' }))
  return { reader: reader!, others }
}

/** What each narrow costs its reader after a warm-up, from the request to the parsed answer, over `count` messages. */
export const narrowCosts = async (
  stack: StackAddress,
  { databaseUrl, adminUrl }: { databaseUrl: string; adminUrl: string },
  count: number,
  rounds: number,
): Promise<NarrowCost[]> => {
  const world = await World.create(stack)
  const { reader, others } = await people(world)
  const everybody = [reader, ...others]
  const names = Array.from({ length: crowd.channels }, (_, n) => `channel ${n}`)
  const subscribe = (subscriptions: string[], more: object) =>
    succeeded(
      reader.post('/users/me/subscriptions', {
        subscriptions: subscriptions.map((name) => ({ name })),
        principals: everybody.map((user) => user.id),
        ...more,
      }),
    )
  await subscribe(names.slice(crowd.private), {})
  await subscribe(names.slice(0, crowd.private), { invite_only: true })
  await inTurns(crowd.conversations, 10, (n) => {
    const to = n < 25 ? [others[n]!.id] : others.slice(n - 25, n - 22).map((user) => user.id)
    return succeeded(reader.post('/messages', { type: 'direct', to, content: 'hello' }))
  })
  const { subscriptions } = await succeeded(reader.get('/users/me/subscriptions'))
  const channelIds = subscriptions
    .map((one: { stream_id: number }) => one.stream_id)
    .sort((a: number, b: number) => a - b)
  const nameOf = (id: number): string =>
    subscriptions.find((one: { stream_id: number }) => one.stream_id === id).name
  const database = await openDatabase({ url: databaseUrl, service: 'bench', poolSize: 1 })
  const [{ realm_id: realmId }] = (await database.sql`
    SELECT realm_id FROM users WHERE id = ${reader.id}`) as unknown as [{ realm_id: number }]
  const place = { realmId, readerId: reader.id, userIds: everybody.map((user) => user.id), channelIds }
  await seedMessages(databaseUrl, place, count)
  // What was written is brought to the disk now, not while it is read.
  const administrator = await openDatabase({
    url: adminUrl,
    service: 'bench',
    poolSize: 1,
    statementMilliseconds: 0,
  })
  await administrator.sql`CHECKPOINT`
  await administrator.close()
  const [{ middle }] = (await database.sql`
    SELECT max(id) - ${Math.floor(count / 2)}::bigint AS middle FROM messages
    WHERE channel_id = ${channelIds[0]}`) as unknown as [{ middle: number }]
  await database.close()

  const wishes = narrowsToMeasure(
    {
      channel: nameOf(channelIds[0]),
      quiet: nameOf(channelIds.at(-1)),
      secret: names[0]!,
      partner: others[0]!.id,
    },
    middle,
  )
  const asks = Object.entries(wishes).map(([narrow, wish]) => {
    const parameters = asParameters(wish)
    return { narrow, ask: () => succeeded(reader.get('/messages', parameters)) }
  })
  // All of them first: most of the code is the same for all, and what is measured first must not pay for it.
  for (const { ask } of asks) await timed(ask, warmUps)
  const costs: NarrowCost[] = []
  for (const { narrow, ask } of asks) costs.push({ narrow, ...(await timed(ask, rounds)) })
  return costs
}
