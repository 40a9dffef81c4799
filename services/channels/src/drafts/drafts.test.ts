import type { KnownCaller } from '@parley/contracts'
import { draftsAdd, draftsRemove, draftsUpdate } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createDrafts } from './create-drafts.ts'
import { deleteDraft } from './delete-draft.ts'
import { draftsSection } from './drafts-section.ts'
import { listDrafts } from './list-drafts.ts'
import { updateDraft } from './update-draft.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller
let open: number
let closed: number

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'open' }] })
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'closed' }], invite_only: true })
  open = (await room.deps.channels.byName(room.realm.id, 'open'))!.id
  closed = (await room.deps.channels.byName(room.realm.id, 'closed'))!.id
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

const draft = (wishes: object = {}) => ({
  type: 'stream',
  to: [open],
  topic: 'plans',
  content: 'half a thought',
  timestamp: 1_700_000_000,
  ...wishes,
})
const create = (who: KnownCaller, ...drafts: object[]) => room.call(createDrafts, who, { drafts })
const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => [error.status, error.code, error.message],
  )

describe('drafts', () => {
  it('are kept in the order of submission, and only their author is told', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { ids } = await create(
      anna,
      draft({ content: 'first', timestamp: 1_700_000_009.75 }),
      draft({ type: 'private', to: [ben.user.id, anna.user.id, ben.user.id], topic: 'left out' }),
      draft({ type: '', to: [open, ben.user.id], topic: 'left out', timestamp: undefined }),
    )
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    const own = { realm: room.realm.id, users: [anna.user.id] }
    const [told, ...more] = await room.announced()
    expect(more).toEqual([])
    expect(told!.audience).toEqual(own)
    z.strictObject({ type: z.string(), op: z.string(), ...draftsAdd.fields }).parse(told!.value)
    const kept = [
      { id: ids[0], type: 'stream', to: [open], topic: 'plans', content: 'first', timestamp: 1_700_000_009 },
      {
        ...{ id: ids[1], type: 'private', to: [ben.user.id, anna.user.id], topic: '' },
        ...{ content: 'half a thought', timestamp: 1_700_000_000 },
      },
      { id: ids[2], type: '', to: [], topic: '', content: 'half a thought', timestamp: expect.any(Number) },
    ]
    expect(told!.value.drafts).toEqual(kept)
    expect(told!.value.drafts[2].timestamp).toBeGreaterThanOrEqual(before)
    // By the last edit, the newest first.
    expect(await room.call(listDrafts, anna)).toEqual({ count: 3, drafts: [kept[2], kept[0], kept[1]] })
    expect(await room.call(listDrafts, ben)).toEqual({ count: 0, drafts: [] })

    await room.call(updateDraft, anna, { draft_id: ids[2], draft: draft({ content: 'later' }) })
    const [updated] = await room.announced()
    expect(updated).toMatchObject({
      audience: own,
      value: { op: 'update', draft: { id: ids[2], to: [open] } },
    })
    z.strictObject({ type: z.string(), op: z.string(), ...draftsUpdate.fields }).parse(updated!.value)
    for (const id of ids) await room.call(deleteDraft, anna, { draft_id: id })
    const removed = await room.announced()
    expect(removed.map((row) => row.value)).toEqual(
      ids.map((draft_id) => ({ type: draftsRemove.type, op: 'remove', draft_id })),
    )
    expect(await room.call(listDrafts, anna)).toEqual({ count: 0, drafts: [] })
  })

  it('go where their author may look, all of them or none', async () => {
    const [id] = (await create(anna, draft({ to: [closed] }))).ids
    const noChannel = [400, 'BAD_REQUEST', 'Invalid channel ID']
    const oneChannel = [400, 'BAD_REQUEST', 'Must specify exactly 1 channel ID for channel messages']
    const cases: [KnownCaller, object, unknown][] = [
      [ben, { to: [closed] }, noChannel],
      [guest, { to: [open] }, noChannel],
      [anna, { to: [999_999] }, noChannel],
      [anna, { to: [] }, oneChannel],
      [anna, { to: [open, closed] }, oneChannel],
      [anna, { type: 'private', to: [999_999] }, [400, 'BAD_REQUEST', 'Invalid user ID 999999']],
      [anna, { content: ' \n ' }, [400, 'BAD_REQUEST', 'Message must not be empty']],
      [anna, { timestamp: -1 }, [400, 'BAD_REQUEST', 'drafts[1]["timestamp"] is too small']],
      [anna, { type: 'public' }, [400, 'BAD_REQUEST', 'Invalid drafts[1]["type"]']],
      [anna, { topic: 'a\0b' }, [400, 'BAD_REQUEST', 'The request contains a null character.']],
      [anna, { content: 'a\0b' }, [400, 'BAD_REQUEST', 'The request contains a null character.']],
      [anna, { type: 'private', to: [] }, 'accepted'],
      [anna, { topic: 'x'.repeat(100) }, 'accepted'],
    ]
    for (const [who, wishes, expected] of cases) {
      const before = (await room.call(listDrafts, who)).count
      const sound = { type: '', to: [], topic: '', content: 'sound' }
      expect([wishes, await refusal(create(who, sound, draft(wishes)))]).toEqual([wishes, expected])
      expect((await room.call(listDrafts, who)).count).toBe(before + (expected === 'accepted' ? 2 : 0))
      if (who !== anna || expected === 'accepted') continue
      if ('timestamp' in wishes || (wishes as { type?: string }).type === 'public') continue
      expect((await refusal(room.call(updateDraft, anna, { draft_id: id, draft: draft(wishes) })))[2]).toBe(
        (expected as string[])[2],
      )
    }
    const kept = (await room.call(listDrafts, anna)).drafts.map(({ topic }) => topic)
    expect(kept).toContain(`${'x'.repeat(57)}...`)
  })

  it('are nobody else’s to change', async () => {
    const [id] = (await create(anna, draft())).ids
    await room.announced()
    const absent = [404, 'BAD_REQUEST', 'Draft does not exist']
    for (const [who, draft_id] of [
      [ben, id],
      [guest, id],
      [anna, 999_999],
    ] as const) {
      expect(await refusal(room.call(updateDraft, who, { draft_id, draft: draft({ to: [] }) }))).toEqual(
        absent,
      )
      expect(await refusal(room.call(deleteDraft, who, { draft_id }))).toEqual(absent)
    }
    expect(await room.announced()).toEqual([])
    await room.call(deleteDraft, anna, { draft_id: id })
    expect(await refusal(room.call(deleteDraft, anna, { draft_id: id }))).toEqual(absent)
  })

  it('are limited; long ones are announced in parts, and the newest thousand are in the state', async () => {
    const busy = await room.person()
    const long = draft({ content: '“'.repeat(10_000) })
    await create(busy, ...Array.from({ length: 60 }, () => long))
    const sizes = (await room.announced()).map((row) => row.value.drafts.length)
    expect(sizes).toEqual([25, 25, 10])
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => draft({ timestamp: 1_700_000_100 + n }))
    await create(busy, ...many(1200))
    const read = (who: KnownCaller) =>
      room.deps.database.snapshot((sql) => draftsSection.read({ caller: who, sql, deps: room.deps } as never))
    const { drafts } = await read(busy)
    expect(drafts).toHaveLength(1000)
    expect(drafts[0]!.timestamp).toBe(1_700_001_299)
    expect(await refusal(create(busy, ...many(741)))).toEqual([
      400,
      'BAD_REQUEST',
      "You can't have more than 2000 drafts.",
    ])
    await create(busy, ...many(740))
  })
})
