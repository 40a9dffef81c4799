/**
 * From the log to clients that poll, under everything at once: events are told ahead or not, news are lost, appends fail,
 * Redis forgets, shards move, processes end and are killed, answers never arrive, in an order that nobody chose. Each
 * client hears everything once and in the order of its service. `SCHEDULE_SEED` repeats the choices of a run, `SCHEDULES`
 * makes more of them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ClientCapabilities, EngineUnavailableError } from '@parley/contracts'
import { eventually, seededRandom } from '@parley/testkit'
import type { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { formatQueueId } from '../queues/queue-id.ts'
import type { ShardOwner } from '../shards/shard-owner.ts'
import { type ShardStore, wakeChannel } from '../store/shard-store.ts'
import { type Answer, words } from '../testing/poll-room.ts'
import {
  connectRedis,
  quietLog,
  type ShardFixture,
  saveShard,
  shardFixture,
} from '../testing/shard-fixture.ts'
import { TwoProcesses } from '../testing/two-processes.ts'
import { Polls } from './polls.ts'

const seed = Number(process.env.SCHEDULE_SEED ?? Date.now() % 1e6)
const schedules = Number(process.env.SCHEDULES ?? 20)
const steps = 200
const users = [1, 2, 3]
const sources = ['channels', 'identity'] as const
type Source = (typeof sources)[number]

/** A process: polls and an owner, which may have the shard. */
interface Process {
  readonly polls: Polls
  /** Kills its requests. */
  readonly life: AbortController
  hearsNews: boolean
  /** News that it will not hear, and not know of. */
  misses: number
}

/** Somebody who polls one queue for ever. */
interface Client {
  readonly user: number
  /** Hears of several deleted messages at once, or of one after the other. */
  readonly isBulk: boolean
  /** Texts of events in the order of the log, by the service that told them. */
  readonly due: Record<Source, string[]>
  readonly heard: Record<Source, string[]>
}

const plain = { apply_markdown: true, client_gravatar: false, slim_presence: false }
const nobody = (): Record<Source, string[]> => ({ channels: [], identity: [] })

const schedule = async (
  fixture: ShardFixture,
  subscriber: Redis,
  random: () => number,
): Promise<string[]> => {
  const { log, shard } = fixture
  const problems: string[] = []
  const clients: Client[] = []
  const reading: Promise<void>[] = []
  const background: Promise<unknown>[] = []
  const processes: Process[] = []
  let isOver = false
  let events = 0
  let forget: (() => Promise<void>) | undefined
  let onItsWay: ReturnType<typeof announce> | undefined
  const chance = (share: number): boolean => random() < share
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]

  /** Redis, which fails now and then before or after it did what it was asked to. */
  const failing: ShardStore = {
    ...fixture.store,
    async append(...wanted) {
      if (!isOver && chance(0.03)) throw new EngineUnavailableError('redis')
      const outcome = await fixture.store.append(...wanted)
      if (!isOver && chance(0.03)) throw new EngineUnavailableError('redis')
      return outcome
    },
  }
  const begin = (place: number): ShardOwner => {
    const polls = new Polls({
      store: fixture.store,
      shards: 1,
      // In one that forgets at once, everything is asked of Redis.
      eventBytes: chance(0.3) ? 1 : 64 * 1024,
      tick: async () => {
        const offset = log.tick()
        shared.feed()
        return offset
      },
      log: quietLog,
    })
    processes[place] = { polls, life: new AbortController(), hearsNews: true, misses: 0 }
    return fixture.owner({
      store: failing,
      foretell: (append) => polls.foretell(shard, append),
      tellAhead: (ahead) => polls.tellAhead(shard, ahead),
    })
  }
  log.tick()
  const shared: TwoProcesses = new TwoProcesses(fixture, begin)
  await shared.settled()
  await subscriber.subscribe(wakeChannel(shard))
  subscriber.on('message', (_channel, message) => {
    for (const one of processes) {
      if (one.misses > 0) one.misses -= 1
      else if (one.hearsNews) one.polls.receive(shard, message)
    }
  })

  const read = async (client: Client, queue: ReturnType<typeof log.open>): Promise<void> => {
    let last = -1
    while (!isOver || sources.some((source) => client.heard[source].length < client.due[source].length)) {
      const { polls, life } = pick(processes)!
      const left = new AbortController()
      if (chance(0.1)) setTimeout(() => left.abort(), random() * 5)
      const gone = AbortSignal.any([left.signal, life.signal])
      const id = { shard, queue: queue.number, secret: queue.secret }
      const wish = {
        ...{ id, queueId: formatQueueId(id), userId: client.user, token: queue.token, lastEventId: last },
        blocks: chance(0.8),
      }
      const answer = await Promise.race([
        polls.wait(wish, gone).catch((error) => {
          if (!(error instanceof EngineUnavailableError)) throw error
        }),
        // Who leaves gets no answer.
        new Promise<undefined>((resolve) => gone.addEventListener('abort', () => resolve(undefined))),
      ])
      if (answer === undefined || chance(0.1)) continue
      const told = (JSON.parse(answer) as Answer).events
      // Who breaks down in the middle of an answer has acknowledged its beginning.
      const handled = chance(0.1) ? told.slice(0, Math.ceil(random() * told.length)) : told
      for (const event of handled) {
        // A sign of life may repeat what was acknowledged.
        if (event.id < last || (event.id === last && event.type !== 'heartbeat'))
          problems.push(`${queue.number}: ${event.id} after ${last}`)
        last = event.id
        if (event.type === 'heartbeat') continue
        const { alert_words, message_ids, message_id } = event as Record<string, unknown>
        const text = String(alert_words ?? `channels ${message_ids ?? message_id}`)
        const source = sources.find((one) => text.startsWith(one))!
        const heard = client.heard[source]
        const due = [
          ...client.due[source],
          ...(source === 'channels' ? (onItsWay?.textsFor(client) ?? []) : []),
        ]
        if (text !== due[heard.length])
          problems.push(`${queue.number}: '${text}' instead of '${due[heard.length]}'`)
        heard.push(text)
      }
      if (problems.length > 0) return
    }
  }

  const announce = (source: Source) => {
    const one = pick(users)
    const to = users.filter((user) => user === one || chance(0.5))
    const ids = Array.from({ length: source === 'channels' && chance(0.3) ? 3 : 1 }, () => (events += 1))
    const event =
      ids.length === 1
        ? words(`${source} ${ids}`)
        : { type: 'delete_message', message_type: 'private', message_ids: ids }
    const { notice, publish } = log.announce(event, { users: to }, { source })
    const textsFor = ({ user, isBulk }: Client): string[] => {
      if (!to.includes(user)) return []
      return isBulk ? [`${source} ${ids}`] : ids.map((id) => `${source} ${id}`)
    }
    return {
      textsFor,
      tell: () => shared.owner.takeNotice(notice),
      publish: () => {
        publish()
        for (const client of clients) client.due[source].push(...textsFor(client))
      },
    }
  }

  const acts: readonly [weight: number, act: () => unknown][] = [
    [
      4,
      () => {
        if (clients.length === 8) return
        const user = pick(users)!
        const isBulk = chance(0.5)
        const client = { user, isBulk, due: nobody(), heard: nobody() }
        const capabilities = ClientCapabilities.parse({ bulk_message_deletion: isBulk })
        const queue = log.open({ user, shape: { ...plain, capabilities } })
        clients.push(client)
        reading.push(read(client, queue).catch((error) => void problems.push(String(error))))
      },
    ],
    // A message on its way: its notice may come before it, behind it, or never.
    [8, () => (onItsWay ??= announce('channels'))],
    [12, () => onItsWay?.tell()],
    [
      12,
      () => {
        onItsWay?.publish()
        if (chance(0.1)) onItsWay?.tell()
        onItsWay = undefined
      },
    ],
    [4, () => announce('identity').publish()],
    [16, () => shared.feed()],
    [4, () => background.push(shared.owner.sweep())],
    [1, () => shared.handOver()],
    [
      1,
      async () => {
        onItsWay?.publish()
        onItsWay = undefined
        await shared.settled()
        forget = await saveShard(fixture)
      },
    ],
    [
      1,
      async () => {
        await forget?.()
        forget = undefined
      },
    ],
    // News are lost with the connection; when it is back, everything asks again.
    [
      2,
      () => {
        const one = pick(processes)!
        one.hearsNews = !one.hearsNews
        if (one.hearsNews) one.polls.missedNews()
      },
    ],
    [2, () => (pick(processes)!.misses += 1)],
    // A process leaves in peace, or is killed; another takes its place.
    [
      1,
      () => {
        const place = Math.floor(random() * processes.length)
        const { polls, life } = processes[place]!
        polls.stop()
        if (chance(0.5)) polls.drain()
        else life.abort()
        shared.replace(place, begin(place))
      },
    ],
    [16, () => pause(random() * 3)],
  ]
  const choices = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))
  for (let step = 0; step < steps; step += 1) await pick(choices)!()

  onItsWay?.publish()
  for (const one of processes) {
    one.misses = 0
    if (!one.hearsNews) one.polls.missedNews()
    one.hearsNews = true
  }
  isOver = true
  await shared.settled()
  // What was missed is known by the news that come next.
  log.tick()
  await shared.settled()
  await Promise.all(background)
  const missing = () =>
    clients.flatMap(({ due, heard }) => sources.flatMap((source) => due[source].slice(heard[source].length)))
  await eventually(() =>
    expect([problems.length > 0, missing()]).toSatisfy(([failed, left]) => failed || left.length === 0),
  ).catch(() => problems.push(`nobody was told of ${missing()}`))
  for (const { life, polls } of processes) {
    polls.drain()
    polls.stop()
    life.abort()
  }
  return problems
}

it.each(Array.from({ length: schedules }, (_, place) => seed + place))(
  'every client hears everything once and in order, whatever comes between (SCHEDULE_SEED=%i)',
  async (one) => {
    const fixture = shardFixture()
    const subscriber = connectRedis()
    try {
      expect(await schedule(fixture, subscriber, seededRandom(one))).toEqual([])
    } finally {
      subscriber.disconnect()
      await fixture.close()
    }
  },
)
