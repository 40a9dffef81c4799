import { EngineUnavailableError } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import { wakeChannel } from '../store/shard-store.ts'
import { realm, type ShardFixture, saveShard, shardFixture } from '../testing/shard-fixture.ts'

let fixture: ShardFixture
beforeEach(() => {
  fixture = shardFixture()
})
afterEach(() => fixture.close())

const event = (text: string) => ({ type: 'alert_words', alert_words: [text] })

const unread: ShardFixture['unread'] = (queue, lastEventId) => fixture.unread(queue, lastEventId)

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
    await fixture.caughtUp(owner)
    const later = []
    for (const text of ['b', 'c', 'd']) {
      later.push(log.event(event(text), { users: [1] }))
      await owner.receive(log.records.slice(-1))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await fixture.caughtUp(owner)
    expect(await unread(ann)).toEqual([first, ...later])
    expect(news).toHaveLength(2)
    subscriber.disconnect()
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
    await fixture.caughtUp(owner)
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
    await fixture.caughtUp(owner)
    expect(await unread(queue)).toEqual([lost, next])
  })

  it('with the word that a queue was closed: it is closed again, not kept without events', async () => {
    const { log } = fixture
    let isRefused = false
    const owner = fixture.owner({ refuses: ({ user }) => isRefused && user === 1 })
    const [closed, other] = [log.open({ user: 1 }), log.open({ user: 2 })]
    await fixture.apply(owner)
    const restore = await saveShard(fixture)
    isRefused = true
    await owner.closeRefused({ user: 1 })
    isRefused = false
    await restore()
    expect(await unread(closed)).toEqual([])
    await owner.sweep()
    expect(await unread(closed)).toBe('unknown')
    expect(await unread(other)).toEqual([])
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
    await fixture.caughtUp(owner)
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

  it('begin with what Redis holds when they are back, whatever they had planned as they left', async () => {
    const { log, store } = fixture
    let leaves = false
    const owner = fixture.owner({
      store: {
        ...store,
        async append(...wanted) {
          if (!leaves) return store.append(...wanted)
          leaves = false
          owner.release()
          throw new EngineUnavailableError('redis')
        },
      },
    })
    const early = log.open({ user: 1, settled: false })
    await fixture.apply(owner)
    log.settle(early.number)
    const late = log.open({ user: 1 })
    const offset = log.event(event('once'), { users: [1] })
    leaves = true
    await owner.receive(log.records.slice(1))
    await eventually(() => expect(owner.isBusy).toBe(false))
    await fixture.apply(owner)
    for (const queue of [early, late]) expect(await unread(queue)).toEqual([offset])
  })
})
