/** Polls of one process on one shard, with the owner that applies the shard's log and the news that it publishes. */
import type { Redis } from 'ioredis'
import { Polls } from '../polls/polls.ts'
import { formatQueueId } from '../queues/queue-id.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import type { ShardOwner } from '../shards/shard-owner.ts'
import { type ShardStore, wakeChannel } from '../store/shard-store.ts'
import { connectRedis, quietLog, type ShardFixture, shardFixture } from './shard-fixture.ts'

export interface Answer {
  result: string
  queue_id: string
  events: ({ id: number; type: string } & Record<string, unknown>)[]
}

export interface TestQueue {
  number: number
  token: string
  secret: string
  user: number
}

export interface PollRoom {
  readonly fixture: ShardFixture
  readonly owner: ShardOwner
  readonly polls: Polls
  readonly subscriber: Redis
  /** Those of another process, which hear the news. */
  readonly elsewhere: Polls
  open(opened: Partial<QueueOpened> & { user: number }): TestQueue
  poll(
    queue: TestQueue,
    wishes?: { last?: number; blocks?: boolean; gone?: AbortSignal; at?: Polls },
  ): Promise<Answer>
  close(): Promise<void>
}

export interface RoomOptions {
  /** The polls are in the process of the owner, which tells them what it is about to append; else they hear the news. */
  readonly isOwners?: boolean
  /** What the owner writes to. */
  readonly store?: (redis: ShardStore) => ShardStore
}

const never = new AbortController().signal

export const openPollRoom = async (options: RoomOptions = {}): Promise<PollRoom> => {
  const { isOwners = false, store = (redis) => redis } = options
  const fixture = shardFixture()
  const owner = fixture.owner({
    store: store(fixture.store),
    ...(isOwners
      ? {
          foretell: (append) => polls.foretell(fixture.shard, append),
          tellAhead: (ahead) => polls.tellAhead(fixture.shard, ahead),
        }
      : {}),
  })
  const openPolls = (): Polls =>
    new Polls({
      store: fixture.store,
      shards: 1,
      eventBytes: 1024 * 1024,
      tick: async () => {
        const offset = fixture.log.tick()
        await owner.receive(fixture.log.records.slice(-1))
        return offset
      },
      log: quietLog,
    })
  const polls = openPolls()
  const elsewhere = openPolls()
  fixture.log.tick()
  await fixture.apply(owner)
  const subscriber = connectRedis()
  await subscriber.subscribe(wakeChannel(fixture.shard))
  subscriber.on('message', (_channel, message) => {
    for (const each of [polls, elsewhere]) each.receive(fixture.shard, message)
  })
  return {
    fixture,
    owner,
    polls,
    subscriber,
    elsewhere,
    open: (opened) => ({ ...fixture.log.open(opened), user: opened.user }),
    async poll(queue, { last, blocks = false, gone = never, at = polls } = {}) {
      const id = { shard: fixture.shard, queue: queue.number, secret: queue.secret }
      const { user: userId, token } = queue
      const wish = { id, queueId: formatQueueId(id), userId, token, lastEventId: last, blocks }
      return JSON.parse(await at.wait(wish, gone)) as Answer
    },
    async close() {
      polls.stop()
      elsewhere.stop()
      subscriber.disconnect()
      await fixture.close()
    },
  }
}

export const words = (text: string) => ({ type: 'alert_words', alert_words: [text] })
