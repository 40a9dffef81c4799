import { randomUUID } from 'node:crypto'
import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimPosts, insertPosts } from '../posts/post-store.ts'
import { judgeReceiver } from '../receivers/receiver-health.ts'
import {
  disableReceiver,
  receiverById,
  replaceSecret,
  saveReceiver,
  storeHealth,
} from '../receivers/receiver-store.ts'
import { sampleBot, sampleMessage } from '../testing/sample-message.ts'
import { deliveriesOf } from './delivery-log.ts'
import {
  type ClaimWish,
  claimDeliveries,
  forgetDeliveries,
  giveBack,
  insertDeliveries,
  reopenDelivery,
  storeFate,
} from './delivery-store.ts'

let own: OwnDatabase

beforeAll(async () => {
  own = await ownDatabase('webhook-dispatcher')
})
afterAll(() => own.drop())
beforeEach(async () => {
  await own.database.sql`TRUNCATE receivers, deliveries, attempts, posts`
})

const sql = () => own.database.sql
const claim = (wish: Partial<ClaimWish> = {}) =>
  claimDeliveries(sql(), { underWay: new Map(), perBot: 4, limit: 1000, lease: randomUUID(), ...wish })
const trigger = (id: number, ...bots: number[]) =>
  insertDeliveries(sql(), {
    realm_id: 7,
    message: sampleMessage(id),
    trigger: 'direct_message',
    bots,
    traceparent: undefined,
  })
const counts = (claimed: Awaited<ReturnType<typeof claim>>) => {
  const found = new Map<number, number>()
  for (const { delivery } of claimed) found.set(delivery.bot_id, (found.get(delivery.bot_id) ?? 0) + 1)
  return Object.fromEntries([...found].sort(([a], [b]) => a - b))
}
const delivered = { state: 'delivered', failure: null } as const
const attempt = (status: number) => ({
  started_at: new Date(),
  duration_ms: 3,
  url: 'http://x/',
  status,
  error: null,
  response_body: '',
})

describe('deliveries', () => {
  it('are one per bot and message, however often it arrives; none of bots that ended, or of other organizations', async () => {
    await saveReceiver(sql(), sampleBot(1))
    await saveReceiver(sql(), sampleBot(2, { is_active: false }))
    await saveReceiver(sql(), sampleBot(3, { realm_id: 8 }))
    await Promise.all(Array.from({ length: 10 }, () => trigger(5, 1, 2, 3, 4)))
    expect(counts(await claim())).toEqual({ 1: 1 })
  })

  it('are taken by one process each, a few of each bot, whatever the backlog of another', async () => {
    for (const bot of [1, 2, 3]) await saveReceiver(sql(), sampleBot(bot))
    for (let id = 1; id <= 50; id += 1) await trigger(id, 1)
    await trigger(51, 2, 3)
    const taken = await Promise.all(Array.from({ length: 8 }, () => claim()))
    const ids = taken.flat().map(({ delivery }) => delivery.id)
    expect(new Set(ids).size).toBe(ids.length)
    const all = counts(taken.flat())
    expect(all).toMatchObject({ 2: 1, 3: 1 })
    const [first] = await Promise.all([claim({ underWay: new Map([[1, 3]]) })])
    expect(counts(first)).toEqual({ 1: 1 })
    expect(await claim({ underWay: new Map([[1, 4]]) })).toEqual([])
    expect(counts(await claim({ bots: [1], limit: 2 }))).toEqual({ 1: 2 })
    expect(await claim({ bots: [2, 3, 99] })).toEqual([])
  })

  it('left by who took them are due again after the lease, and the one who is late counts no more', async () => {
    await saveReceiver(sql(), sampleBot(1))
    await trigger(1, 1)
    const [dead] = await claim()
    expect(await claim()).toEqual([])
    await sql()`UPDATE deliveries SET due_at = now() - interval '1 s'`
    const [heir] = await claim()
    expect(heir!.delivery.public_id).toBe(dead!.delivery.public_id)
    expect(await storeFate(sql(), dead!.delivery, delivered, attempt(200))).toBe(false)
    expect(await storeFate(sql(), heir!.delivery, delivered, attempt(200))).toBe(true)
    const log = await deliveriesOf(sql(), { bot_id: 1, limit: 10 })
    expect(log).toMatchObject([{ state: 'delivered', attempts: 1, last_status: 200, due_at: null }])
  })

  it('wait while their receiver is paused, unless a person asked or patience is over; then one at a time', async () => {
    await saveReceiver(sql(), sampleBot(1))
    for (const id of [1, 2, 3]) await trigger(id, 1)
    const later = new Date(Date.now() + 60_000)
    const failing = { failures: 6, failing_since: new Date(), last_success_at: null }
    await storeHealth(sql(), 1, { ...failing, paused_until: later, disable: null })
    expect(await claim()).toEqual([])
    await sql()`UPDATE deliveries SET created_at = now() - interval '6 min' WHERE message_id = 2`
    const [impatient] = await claim()
    expect(impatient!.delivery.message_id).toBe(2)
    await storeFate(sql(), impatient!.delivery, { state: 'failed', failure: 'x' }, undefined)
    await reopenDelivery(sql(), impatient!.delivery.id)
    expect((await claim()).map(({ delivery }) => delivery.phase)).toEqual(['manual'])
    await storeHealth(sql(), 1, { ...failing, paused_until: new Date(Date.now() - 1000), disable: null })
    expect(counts(await claim())).toEqual({ 1: 1 })
  })

  it('of a disabled receiver end, but for those that are just being tried', async () => {
    await saveReceiver(sql(), sampleBot(1))
    await trigger(1, 1)
    const [held] = await claim()
    await trigger(2, 1)
    await disableReceiver(sql(), 1, 'gone')
    const states = async () => (await deliveriesOf(sql(), { bot_id: 1, limit: 10 })).map(({ state }) => state)
    expect(await states()).toEqual(['failed', 'pending'])
    expect(await storeFate(sql(), held!.delivery, delivered, attempt(200))).toBe(true)
    await trigger(3, 1)
    const [told] = await claim()
    expect(told!.receiver.disabled_reason).toBe('gone')
  })

  it('can be given back, done once more, and are forgotten in time', async () => {
    await saveReceiver(sql(), sampleBot(1))
    await trigger(1, 1)
    const [first] = await claim()
    await giveBack(sql(), first!.delivery, 0)
    const [second] = await claim()
    expect(await reopenDelivery(sql(), second!.delivery.id)).toBeUndefined()
    await storeFate(sql(), second!.delivery, delivered, attempt(200))
    expect(await forgetDeliveries(sql(), 30, 10)).toBe(0)
    await sql()`UPDATE deliveries SET finished_at = now() - interval '31 days'`
    expect(await forgetDeliveries(sql(), 30, 10)).toBe(1)
  })
})

describe('a receiver', () => {
  it('is replaced by a newer state only, keeps its secret, and starts anew at another URL', async () => {
    await saveReceiver(sql(), sampleBot(1, { version: 5 }))
    const { secret } = (await receiverById(sql(), 1))!
    await storeHealth(sql(), 1, judgeReceiver((await receiverById(sql(), 1))!, 'gone', new Date(), 0))
    await saveReceiver(sql(), sampleBot(1, { version: 4, full_name: 'Old' }))
    await saveReceiver(sql(), sampleBot(1, { version: 6, full_name: 'New' }))
    expect(await receiverById(sql(), 1)).toMatchObject({ full_name: 'New', secret, disabled_reason: 'gone' })
    const services = [{ base_url: 'http://moved.example/', interface: 1 as const, token: 't' }]
    await saveReceiver(sql(), sampleBot(1, { version: 7, services }))
    expect(await receiverById(sql(), 1)).toMatchObject({ disabled_at: null, failing_since: null, secret })
    await disableReceiver(sql(), 1, 'by_hand')
    await saveReceiver(sql(), sampleBot(1, { version: 8 }))
    expect((await receiverById(sql(), 1))!.disabled_reason).toBe('by_hand')
    await replaceSecret(sql(), 1, 24)
    const rotated = (await receiverById(sql(), 1))!
    expect(rotated.previous_secret).toBe(secret)
    expect(rotated.secret).not.toBe(secret)
  })

  it('is none for bots that are not called', async () => {
    await saveReceiver(sql(), sampleBot(1, { bot_type: 1, services: [] }))
    expect(await receiverById(sql(), 1)).toBeUndefined()
  })
})

describe('what bots have to say', () => {
  it('is written once under its name, and taken by one process at a time', async () => {
    const post = {
      name: 'msg_1/1/reply',
      realm_id: 7,
      subdomain: 'acme',
      bot_id: 1,
      delivery_id: 1,
      kind: 'reply' as const,
      recipients: { user_ids: [1, 2] },
      content: 'hi',
      widget_content: '{}',
    }
    await insertPosts(sql(), [post])
    await insertPosts(sql(), [post])
    const taken = (await Promise.all([claimPosts(sql(), 10), claimPosts(sql(), 10)])).flat()
    expect(taken).toMatchObject([
      { name: post.name, recipients: post.recipients, widget_content: '{}', attempts: 1 },
    ])
  })
})
