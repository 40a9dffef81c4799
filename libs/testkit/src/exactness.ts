/**
 * Thousands of schedules of one service: everything changes at once while clients register again and again, and each
 * registration is what earlier ones and the events in between say. `EXACTNESS_SECONDS` makes it longer, `EXACTNESS_SEED`
 * repeats the choices.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ClientCapabilities, type ClientShape, type KnownCaller } from '@parley/contracts'
import type { Database } from '@parley/db'
import { wholeFields } from '@parley/kit'
import { departures, type Registered, type WrittenEvent } from './schedules.ts'
import { seededRandom } from './seeded-random.ts'

const writers = 3
/** How many registrations back each one is compared with. */
const stretches = [1, 2, 4, 8, 16]
/** Registrations of each client at least, however busy the machine is; on a quiet one there are twice as many. */
const fewest = 32
/** Milliseconds from one registration of a client to its next: the others are to change something meanwhile. */
const pace = 250

/** Clients that know everything the service's state depends on, and clients that know nothing of it. */
export const opposites = (capabilities: Partial<ClientCapabilities>): readonly ClientShape[] =>
  [capabilities, {}].map((one) => ({
    apply_markdown: false,
    client_gravatar: false,
    slim_presence: true,
    include_subscribers: true,
    capabilities: ClientCapabilities.parse(one),
  }))

/** How long a race takes, and what it chooses by. */
export const raceFromEnvironment = () => {
  const seconds = Number(process.env.EXACTNESS_SECONDS ?? 15)
  const seed = Number(process.env.EXACTNESS_SEED ?? Date.now() % 1e6)
  const random = seededRandom(seed)
  return {
    seconds,
    seed,
    /** Milliseconds that are enough, also for the comparison and on a busy machine. */
    longest: (seconds * 5 + 120) * 1000,
    random,
    pick: <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)],
    word: () => `w${Math.floor(random() * 1e9).toString(36)}`,
  }
}

/** A service on a database of its own. */
interface Raced {
  readonly deps: { readonly database: Database }
  readonly sections: Readonly<Record<string, { read(context: never): Promise<object> }>>
}

/** The whole state that the service answers a registration with. */
const registered = (
  { deps, sections }: Raced,
  caller: KnownCaller,
  shape: ClientShape,
): Promise<Registered> =>
  deps.database.snapshot(async (sql, snapshot) => {
    const options = { ...shape, client_capabilities: shape.capabilities, presence_history_limit_days: 14 }
    const parts: object[] = []
    for (const { read } of Object.values(sections)) {
      parts.push(await wholeFields(await read({ caller, options, sql, snapshot, deps } as never)))
    }
    const state = Object.assign({ user_id: caller.user.id }, ...parts)
    return { state: JSON.parse(JSON.stringify(state)), snapshot }
  })

/** Who is in a channel at a version of its membership, for events that are addressed to those. */
type MembersAt = (channelId: number, version: number) => Promise<readonly number[]>

/** Everything that was announced, with its recipients. */
const announced = async ({ sql }: Database, membersAt: MembersAt | undefined): Promise<WrittenEvent[]> => {
  const rows = await sql<{ xid: number; value: WrittenEvent['event']; audience: Record<string, never> }[]>`
    SELECT xid, value::jsonb AS value, audience FROM outbox WHERE topic = 'client-events' ORDER BY id`
  const members = new Map<string, readonly number[]>()
  return Promise.all(
    rows.map(async ({ xid, value, audience: { users = [], everyone, resolve, personal } }) => {
      const { channel_id, version } = (resolve as { args?: Record<string, number> } | undefined)?.args ?? {}
      const key = `${channel_id}/${version}`
      if (channel_id !== undefined && !members.has(key)) {
        members.set(key, await membersAt!(channel_id, version!))
      }
      const all = new Set<number>([...(users as number[]), ...(members.get(key) ?? [])])
      return { xid, event: value, users: everyone === true ? undefined : all, personal }
    }),
  )
}

interface Race extends Raced {
  readonly seconds: number
  readonly pick: <T>(from: readonly T[]) => T | undefined
  readonly followers: readonly { readonly caller: KnownCaller; readonly shape: ClientShape }[]
  readonly acts: readonly (() => Promise<unknown>)[]
  readonly membersAt?: MembersAt
}

interface Outcome {
  /** What acts failed with that was no refusal. */
  readonly faults: readonly unknown[]
  /** Of the first schedule in which a client departs from the truth. */
  readonly departures: readonly string[]
  readonly schedules: number
  /** Kinds of events that were announced. */
  readonly kinds: ReadonlySet<string>
}

/** Lets `acts` happen in no order while followers register, and compares. */
export const race = async ({
  seconds,
  pick,
  followers,
  acts,
  membersAt,
  ...raced
}: Race): Promise<Outcome> => {
  const end = Date.now() + seconds * 1000
  const faults: unknown[] = []
  let isOver = false
  const act = async (): Promise<void> => {
    while (!isOver) {
      try {
        await pick(acts)!()
      } catch (error) {
        // Races have losers, who are told so; anything else is a fault.
        if (typeof (error as { error?: unknown }).error !== 'string') faults.push(error)
      }
    }
  }
  const writing = Promise.all(Array.from({ length: writers }, act))
  const chains = await Promise.all(
    followers.map(async ({ caller, shape }) => {
      const chain: Registered[] = []
      while (Date.now() < end || chain.length < fewest) {
        const [state] = await Promise.all([registered(raced, caller, shape), pause(pace)])
        chain.push(state)
      }
      return { caller, shape, chain }
    }),
  )
  isOver = true
  await writing
  const written = await announced(raced.deps.database, membersAt)
  const kinds = new Set(written.map(({ event }) => `${event.type}/${event.op ?? ''}`))
  let schedules = 0
  for (const { caller, shape, chain } of chains) {
    chain.push(await registered(raced, caller, shape))
    const follower = { userId: caller.user.id, shape }
    for (const [index, later] of chain.entries()) {
      for (const earlier of stretches.flatMap((back) => chain[index - back] ?? [])) {
        const found = departures(earlier, later, written, follower)
        if (found.length > 0) {
          return { faults, departures: [`of ${follower.userId}`, ...found], schedules, kinds }
        }
        schedules += 1
      }
    }
  }
  console.log(`${schedules} schedules, ${written.length} events of ${kinds.size} kinds`)
  return { faults, departures: [], schedules, kinds }
}
