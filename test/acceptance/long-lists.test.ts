/** Lists longer than a request may have are refused at once and in words, before any work is done for them. */
import { limits } from '@parley/contracts'
import { succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let owner: TestUser
let channelId: number

beforeAll(async () => {
  const world = await World.create()
  owner = await world.user({ role: 'owner' })
  await succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'general' }] }))
  const { subscriptions } = await succeeded(owner.get('/users/me/subscriptions'))
  channelId = subscriptions[0].stream_id
})

const some = <T>(count: number, one: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => one(n))
const numbers = (count: number): number[] => some(count, (n) => n + 1)
const inNarrow = (narrow: unknown) =>
  owner.post('/messages/flags/narrow', {
    ...{ anchor: 'newest', num_before: 10, num_after: 0, op: 'add', flag: 'starred' },
    narrow,
  })

describe('a list that is too long', () => {
  const tooLarge = (place: string, limit: number): string => `${place} is too large (limit: ${limit})`

  it.each([
    [
      'people',
      tooLarge('to', limits.maxDirectRecipients),
      (n: number) => owner.post('/messages', { type: 'direct', to: numbers(n), content: 'x' }),
      limits.maxDirectRecipients,
    ],
    [
      'addresses',
      tooLarge('to', limits.maxDirectRecipients),
      (n: number) =>
        owner.post('/messages', {
          type: 'direct',
          to: some(n, (place) => `p${place}@x.example`),
          content: 'x',
        }),
      limits.maxDirectRecipients,
    ],
    [
      'terms',
      tooLarge('narrow', limits.maxNarrowTerms),
      (n: number) => inNarrow(some(n, (place) => ['topic', `t${place}`])),
      limits.maxNarrowTerms,
    ],
    [
      'people of a term',
      tooLarge('narrow[0]["operand"]', limits.maxDirectRecipients),
      (n: number) => inNarrow([{ operator: 'dm', operand: numbers(n) }]),
      limits.maxDirectRecipients,
    ],
    [
      'terms of a queue',
      tooLarge('narrow', limits.maxNarrowTerms),
      (n: number) => owner.post('/register', { narrow: some(n, (place) => ['topic', `t${place}`]) }),
      limits.maxNarrowTerms,
    ],
    [
      'types of events',
      tooLarge('event_types', limits.maxEventTypes),
      (n: number) => owner.post('/register', { event_types: some(n, (place) => `type ${place}`) }),
      limits.maxEventTypes,
    ],
    [
      'sections',
      tooLarge('fetch_event_types', limits.maxEventTypes),
      (n: number) => owner.post('/register', { fetch_event_types: some(n, (place) => `type ${place}`) }),
      limits.maxEventTypes,
    ],
    [
      'changes of subscriptions',
      tooLarge('subscription_data', limits.maxChannelsPerRequest),
      (n: number) =>
        owner.post('/users/me/subscriptions/properties', {
          subscription_data: some(n, () => ({ stream_id: channelId, property: 'is_muted', value: true })),
        }),
      limits.maxChannelsPerRequest,
    ],
    [
      'members of a setting',
      tooLarge('can_send_message_group["new"]["direct_members"]', limits.maxGroupSettingMembers),
      (n: number) =>
        owner.patch(`/streams/${channelId}`, {
          can_send_message_group: { new: { direct_members: numbers(n), direct_subgroups: [] } },
        }),
      limits.maxGroupSettingMembers,
    ],
  ] as const)('of %s is refused', async (_, message, ask, limit) => {
    const { status, body } = await ask(limit + 1)
    expect([status, body.code, body.msg]).toEqual([400, 'BAD_REQUEST', message])
    const longest = await ask(limit)
    expect(longest.status).toBeLessThan(500)
    expect(longest.body.msg).not.toContain('too large')
  })
})
