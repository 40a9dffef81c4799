import { eventually } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { QueueOpened } from '../queues/queue-records.ts'
import { shardPrefix } from '../store/shard-store.ts'
import { type ShardFixture, shardFixture } from '../testing/shard-fixture.ts'
import type { ShardOwner } from './shard-owner.ts'

let fixture: ShardFixture
beforeEach(() => {
  fixture = shardFixture()
})
afterEach(() => fixture.close())

const event = (text: string) => ({ type: 'alert_words', alert_words: [text] })
const unread: ShardFixture['unread'] = (queue) => fixture.unread(queue)

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
    await fixture.caughtUp(owner)
    expect(await unread(queue)).toBe('unknown')
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
    await fixture.caughtUp(owner)
    expect(await unread(after)).toBe('unknown')
    gone.add(2)
    await fixture.apply(fixture.owner({ refuses }))
    expect(await unread(other)).toBe('unknown')
  })

  it('when their account ends while the shard is nobody`s', async () => {
    const { log } = fixture
    const gone = new Set<number>()
    const refuses = ({ user }: QueueOpened) => gone.has(user)
    const [one, two] = [fixture.owner({ refuses }), fixture.owner({ refuses })]
    const queue = log.open({ user: 1 })
    await fixture.apply(one)
    await two.load()
    one.release()
    two.release()
    gone.add(1)
    await Promise.all([one.closeRefused({ user: 1 }), two.closeRefused({ user: 1 })])
    await two.load()
    expect(await unread(queue)).toBe('unknown')
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
