import { eventually } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import { shardPrefix, wakeChannel } from '../store/shard-store.ts'
import { realm, type ShardFixture, saveShard, shardFixture } from '../testing/shard-fixture.ts'
import type { ShardOwner } from './shard-owner.ts'

let fixture: ShardFixture
beforeEach(() => {
  fixture = shardFixture()
})
afterEach(() => fixture.close())

const event = (text: string) => ({ type: 'alert_words', alert_words: [text] })

/** What a queue holds unread: the texts of its events in order, with their offsets. */
const unread = async (queue: { number: number; token: string }, lastEventId?: number) => {
  const { store, shard } = fixture
  const request = { queue: queue.number, token: queue.token, lastEventId, wantsEntry: false }
  const [outcome] = (await store.poll(shard, [request])).polls
  if (outcome?.status !== 'ok') return outcome?.status
  return outcome.offsets
}

/** Waits until Redis holds what the log holds. */
const caughtUp = (owner: ShardOwner) =>
  eventually(async () => {
    await owner.sweep()
    expect(owner.isBusy).toBe(false)
    expect(await fixture.store.position(fixture.shard)).toBe(fixture.log.end)
  })

describe('another release of the server', () => {
  const serve = async (name: string, since: number) => {
    const owner = fixture.owner({ release: { name, since } })
    await fixture.apply(owner)
    await owner.sweep()
    await fixture.apply(owner)
    await owner.sweep()
    return owner
  }

  it('is told once to every queue that wants to hear of it, and one that is as before to none', async () => {
    const { log, store, shard } = fixture
    const all = log.open({ user: 1 })
    const some = log.open({ user: 2, types: ['restart'] })
    const others = log.open({ user: 3, types: ['message'], realm: realm + 1 })
    // What served before was not written down: nothing can be told of it.
    await serve('one', 100)
    expect(await unread(all)).toEqual([])
    // The same release, started again.
    await serve('one', 150)
    expect(await unread(all)).toEqual([])
    await serve('two', 200)
    const told = await unread(all)
    expect(told).toHaveLength(1)
    expect(await unread(some)).toEqual(told)
    expect(await unread(others)).toEqual([])
    const [text] = await store.texts(shard, told as number[])
    expect(JSON.parse(text!.split('\n')[1]!)).toEqual({
      type: 'restart',
      zulip_version: '13.0',
      zulip_merge_base: '13.0',
      zulip_feature_level: 509,
      server_generation: 200,
    })
  })

  it('is none when the shard is a process of the old release`s for a moment; back to it is one', async () => {
    const { log } = fixture
    const queue = log.open({ user: 1 })
    await serve('one', 100)
    await serve('two', 200)
    await serve('one', 110)
    await serve('two', 210)
    expect(await unread(queue)).toHaveLength(1)
    await serve('one', 300)
    expect(await unread(queue)).toHaveLength(2)
  })

  it('is told to a client that registers meanwhile', async () => {
    const { log } = fixture
    log.tick()
    await serve('one', 100)
    const queue = log.open({ user: 1, settled: false })
    await serve('two', 200)
    log.settle(queue.number)
    await fixture.apply(fixture.owner())
    expect(await unread(queue)).toHaveLength(1)
  })
})

describe('who receives', () => {
  it('named users, everyone of the realm, and all_public_streams, each queue once and nobody else', async () => {
    const { log } = fixture
    const ann = log.open({ user: 1 })
    const annToo = log.open({ user: 1 })
    const bob = log.open({ user: 2 })
    const publicBob = log.open({ user: 2, all_public: true })
    const stranger = log.open({ user: 3, realm: realm + 1, all_public: true })
    const toAnn = log.event(event('a'), { users: [1, 3] })
    const toAll = log.event(event('b'), { everyone: true })
    const toPublic = log.event(event('c'), { users: [1], public: [2] })
    const toBoth = log.event(event('d'), { users: [1, 2], public: [2] })
    const owner = fixture.owner()
    await fixture.apply(owner)
    expect(await unread(ann)).toEqual([toAnn, toAll, toPublic, toBoth])
    expect(await unread(annToo)).toEqual([toAnn, toAll, toPublic, toBoth])
    expect(await unread(bob)).toEqual([toAll, toBoth])
    expect(await unread(publicBob)).toEqual([toAll, toPublic, toBoth])
    expect(await unread(stranger)).toEqual([])
    await owner.sweep()
    await owner.sweep()
    expect(fixture.listening).toEqual([
      { realm_id: realm, user_id: 2 },
      { realm_id: realm + 1, user_id: 3 },
    ])
  })

  it('queues that want the type, user_topic going before muted_topics', async () => {
    const { log } = fixture
    const words = log.open({ user: 1, types: ['alert_words', 'no such type'] })
    const topics = log.open({ user: 1, types: ['user_topic', 'muted_topics'] })
    const legacy = log.open({ user: 1, types: ['muted_topics'] })
    const offsets = ['alert_words', 'user_topic', 'muted_topics'].map((type) =>
      log.event({ type, data: 1 }, { users: [1] }),
    )
    await fixture.apply(fixture.owner())
    expect(await unread(words)).toEqual([offsets[0]])
    expect(await unread(topics)).toEqual([offsets[1]])
    expect(await unread(legacy)).toEqual([offsets[2]])
  })

  it('skips repetitions of a relay, and sets aside what nobody understands', async () => {
    const { log } = fixture
    const queue = log.open({ user: 1 })
    const first = log.event(event('a'), { users: [1] }, { seq: 50 })
    log.event(event('a'), { users: [1] }, { seq: 50 })
    log.event(event('older'), { users: [1] }, { seq: 49 })
    log.malformed()
    const second = log.event(event('b'), { users: [1] }, { seq: 51 })
    await fixture.apply(fixture.owner())
    expect(await unread(queue)).toEqual([first, second])
    const repeated = log.event(event('b'), { users: [1] }, { seq: 51 })
    await fixture.apply(fixture.owner())
    expect(await unread(queue)).toEqual([first, second])
    expect(repeated).toBe(log.end - 1)
  })
})

describe('where much is delivered', () => {
  it('records gather, and what comes meanwhile is told at once, whole and in order', async () => {
    const { log, redis, shard } = fixture
    const owner = fixture.owner({ pace: { count: () => {}, gathering: 500 } })
    const ann = log.open({ user: 1 })
    await fixture.apply(owner)
    const news: string[] = []
    const subscriber = redis.duplicate()
    subscriber.on('message', (_, message) => news.push(message))
    await subscriber.subscribe(wakeChannel(shard))
    const first = log.event(event('a'), { users: [1] })
    await owner.receive(log.records.slice(-1))
    await caughtUp(owner)
    const later = []
    for (const text of ['b', 'c', 'd']) {
      later.push(log.event(event(text), { users: [1] }))
      await owner.receive(log.records.slice(-1))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await caughtUp(owner)
    expect(await unread(ann)).toEqual([first, ...later])
    expect(news).toHaveLength(2)
    subscriber.disconnect()
  })
})

describe('a user with too many queues', () => {
  it('loses the one that was not polled for longest, and nobody else loses any', async () => {
    const { log, redis, shard } = fixture
    const owner = fixture.owner({ maxQueues: 2 })
    const busy = log.open({ user: 1 })
    const idle = log.open({ user: 1 })
    const other = log.open({ user: 2 })
    await fixture.apply(owner)
    // As if the first one had been polled a minute after the second.
    const owners = `${shardPrefix(shard)}owners`
    const [second, token] = (await redis.hget(owners, String(busy.number)))!.split(' ')
    await redis.hset(owners, String(busy.number), `${Number(second) + 60} ${token}`)
    const third = log.open({ user: 1 })
    await fixture.apply(owner)
    await eventually(async () => expect(await unread(idle)).toBe('unknown'))
    for (const queue of [busy, third, other]) expect(await unread(queue)).toEqual([])
    const next = log.event(event('a'), { everyone: true })
    await fixture.apply(owner)
    expect(await unread(third)).toEqual([next])
  })
})

describe('settling', () => {
  const snapshot = { xmin: 100, xmax: 110, xip: [103, 105] }

  it('takes out exactly what the state contains, of its types and its service, before and after', async () => {
    const { log } = fixture
    const queue = log.open({ user: 1, settled: false })
    const contained = log.event(event('old'), { users: [1] }, { xid: 99 })
    const running = log.event(event('running'), { users: [1] }, { xid: 103 })
    const otherType = log.event({ type: 'drafts', op: 'add' }, { users: [1] }, { xid: 99 })
    await fixture.apply(fixture.owner())
    expect(await unread(queue)).toBe('early')
    log.settle(queue.number, { channels: { types: ['alert_words'], snapshot } })
    const lateContained = log.event(event('late'), { users: [1] }, { xid: 104 })
    const late = log.event(event('later'), { users: [1] }, { xid: 105 })
    const news = log.event(event('news'), { users: [1] }, { xid: 110 })
    await fixture.apply(fixture.owner())
    expect(await unread(queue)).toEqual([running, otherType, late, news])
    expect(await fixture.store.texts(fixture.shard, [contained, lateContained])).toEqual([
      undefined,
      undefined,
    ])
  })

  it('is the same in one batch and when owner and memory change in between', async () => {
    const { log } = fixture
    const known = { channels: { types: ['alert_words'], snapshot } }
    const together = log.open({ user: 1, settled: false })
    const apart = log.open({ user: 1, settled: false })
    const contained = log.event(event('old'), { users: [1] }, { xid: 102 })
    const running = log.event(event('running'), { users: [1] }, { xid: 105 })
    log.settle(together.number, known)
    await fixture.apply(fixture.owner())
    log.settle(apart.number, known)
    await fixture.apply(fixture.owner())
    expect(await unread(together)).toEqual([running])
    expect(await unread(apart)).toEqual([running])
    expect(await fixture.store.texts(fixture.shard, [contained])).toEqual([undefined])
  })
})

describe('a queue that is about to be opened', () => {
  /** An owner to whom something happens between what it plans of a batch and what it appends. */
  const interrupted = (happens: (owner: ShardOwner) => Promise<void>, refuses?: () => boolean) => {
    const happening: Promise<void>[] = []
    const owner: ShardOwner = fixture.owner({
      foretell: () => {
        happening.push(happens(owner))
        return false
      },
      ...(refuses === undefined ? {} : { refuses }),
    })
    return { owner, happened: () => Promise.all(happening) }
  }

  it('is not taken for one that is gone by a sweep in that moment', async () => {
    const { log } = fixture
    log.tick()
    const { owner, happened } = interrupted((it) => it.sweep())
    await fixture.apply(owner)
    const queues = [log.open({ user: 1 }), log.open({ user: 2, settled: false })]
    await fixture.apply(owner)
    await happened()
    log.settle(queues[1]!.number)
    const offset = log.event(event('to both'), { users: [1, 2] })
    await fixture.apply(owner)
    for (const queue of queues) expect(await unread(queue)).toEqual([offset])
  })

  it('is closed when its account comes to its end in that moment', async () => {
    const { log } = fixture
    log.tick()
    let isRefused = false
    const { owner, happened } = interrupted(
      async (it) => {
        isRefused = true
        await it.closeRefused({ user: 1 })
      },
      () => isRefused,
    )
    await fixture.apply(owner)
    isRefused = false
    // Redis knows the script from now on, and is asked once.
    await fixture.store.close(fixture.shard, [[log.start, false]])
    const queue = log.open({ user: 1 })
    await fixture.apply(owner)
    await happened()
    await caughtUp(owner)
    expect(await unread(queue)).toBe('unknown')
  })
})

describe('Redis loses its last second', () => {
  it('and the log brings everything back: same queues, same records, same acknowledgements to come', async () => {
    const { log } = fixture
    const owner = fixture.owner()
    const old = log.open({ user: 1 })
    const first = log.event(event('first'), { users: [1, 2] })
    await fixture.apply(owner)
    const restore = await saveShard(fixture)

    const young = log.open({ user: 2, settled: false })
    const second = log.event(event('second'), { users: [1, 2] }, { xid: 5 })
    const third = log.event(event('third'), { users: [1, 2] }, { xid: 50 })
    const snapshot = { xmin: 10, xmax: 10, xip: [] }
    log.settle(young.number, { channels: { types: ['alert_words'], snapshot } })
    await fixture.apply(owner)
    const before = { old: await unread(old), young: await unread(young) }
    expect(before).toEqual({ old: [first, second, third], young: [third] })
    await unread(old, recordEndId(old.number, second))

    await restore()
    expect(await unread(old, recordEndId(old.number, second))).toBe('ahead')
    expect(await unread(young)).toBe('early')
    // Nothing happens any more: the owner has to notice by itself.
    await owner.sweep()
    await caughtUp(owner)
    expect(await unread(young)).toEqual(before.young)
    expect(await unread(old)).toEqual(before.old)
    expect(await unread(old, recordEndId(old.number, second))).toEqual([third])
  })

  it('while records keep coming: the next one reveals it', async () => {
    const { log } = fixture
    const owner = fixture.owner()
    const queue = log.open({ user: 1 })
    await fixture.apply(owner)
    const restore = await saveShard(fixture)
    const lost = log.event(event('lost'), { users: [1] })
    await fixture.apply(owner)
    await restore()
    const next = log.event(event('next'), { users: [1] })
    await owner.receive(log.records.slice(-1))
    await caughtUp(owner)
    expect(await unread(queue)).toEqual([lost, next])
  })

  it('wholly: queues are unknown, and the log goes on', async () => {
    const { log, redis } = fixture
    const owner = fixture.owner()
    const queue = log.open({ user: 1 })
    await fixture.apply(owner)
    await redis.del(...(await fixture.keys()))
    const fresh = log.open({ user: 1 })
    const offset = log.event(event('after'), { users: [1] })
    await owner.receive(log.records.slice(-2))
    await caughtUp(owner)
    expect(await unread(queue)).toBe('unknown')
    expect(await unread(fresh)).toEqual([offset])
  })
})

describe('two owners at once', () => {
  it('apply everything exactly once, whichever is ahead', async () => {
    const { log } = fixture
    const one = fixture.owner()
    const two = fixture.owner()
    const queue = log.open({ user: 1 })
    await fixture.apply(one)
    await fixture.apply(two)
    const offsets: number[] = []
    for (let round = 0; round < 20; round += 1) {
      offsets.push(
        log.event(event(`a${round}`), { users: [1] }),
        log.event(event(`b${round}`), { users: [1] }),
      )
      const news = log.records.slice(-2)
      await Promise.all([one.receive(news), two.receive(news.slice(0, 1 + (round % 2)))])
      if (round % 5 === 0) log.open({ user: 2 })
    }
    await Promise.all([fixture.apply(one), fixture.apply(two)])
    expect(await unread(queue)).toEqual(offsets)
  })
})

describe('queues end', () => {
  it('when their owner may not have them: at the news, at the opening, and at the loading', async () => {
    const { log } = fixture
    const gone = new Set<number>()
    const refuses = ({ user }: QueueOpened) => gone.has(user)
    const owner = fixture.owner({ refuses })
    const before = log.open({ user: 1 })
    const other = log.open({ user: 2 })
    await fixture.apply(owner)
    gone.add(1)
    await owner.closeRefused({ user: 1 })
    expect(await unread(before)).toBe('unknown')
    const after = log.open({ user: 1 })
    await fixture.apply(owner)
    await caughtUp(owner)
    expect(await unread(after)).toBe('unknown')
    gone.add(2)
    await fixture.apply(fixture.owner({ refuses }))
    expect(await unread(other)).toBe('unknown')
  })

  it('leave nothing in Redis', async () => {
    const { log } = fixture
    const owner = fixture.owner()
    for (let user = 1; user <= 5; user += 1) log.open({ user, settled: user % 2 === 0 })
    for (let index = 0; index < 40; index += 1) log.event(event(`${index}`), { users: [1 + (index % 6)] })
    await fixture.apply(owner)
    for (let user = 1; user <= 5; user += 1) {
      await fixture.store.close(fixture.shard, [[log.start + user - 1, false]])
    }
    expect(await fixture.keys()).toEqual([`${shardPrefix(fixture.shard)}state`])
  })
})
