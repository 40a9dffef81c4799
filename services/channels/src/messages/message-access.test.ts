import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isGuest } from '../channels/channel-rules.ts'
import type { ChannelRow } from '../channels/channel-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { closePeriods } from '../subscriptions/period-store.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { listMessages } from './list-messages.ts'
import { readableMessages } from './message-store.ts'
import { sendMessage } from './send-message.ts'

/** A small generator of pseudo-random numbers, so that a failure can be repeated by its seed. */
const generator = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface ModelMessage {
  readonly id: number
  readonly place: ModelChannel | 'direct'
  readonly recipients: ReadonlySet<number>
}

interface ModelChannel {
  readonly name: string
  readonly isPrivate: boolean
  readonly isHistoryShared: boolean
  readonly members: Set<number>
}

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

/** Lives through a random history, in the service and in a model that writes down every recipient. */
const live = async (seed: number, steps: number) => {
  const random = generator(seed)
  const people = await Promise.all([
    ...Array.from({ length: 4 }, () => room.person()),
    room.person('administrator'),
    room.person('guest'),
  ])
  const admin = people[4]!
  const channels: ModelChannel[] = [
    { isPrivate: false, isHistoryShared: true },
    { isPrivate: true, isHistoryShared: false },
    { isPrivate: true, isHistoryShared: true },
  ].map((kind, n) => ({ name: `history ${seed} ${n}`, members: new Set<number>(), ...kind }))
  const messages: ModelMessage[] = []

  const join = async (by: KnownCaller, channel: ModelChannel, users: KnownCaller[]) => {
    await room.call(addSubscriptions, by, {
      subscriptions: [{ name: channel.name }],
      principals: users.map((user) => user.user.id),
      invite_only: channel.isPrivate,
      history_public_to_subscribers: channel.isHistoryShared,
    })
    for (const user of users) channel.members.add(user.user.id)
  }
  const leave = async (channel: ModelChannel, user: KnownCaller) => {
    const row = (await room.deps.channels.byName(room.realm.id, channel.name)) as ChannelRow
    await room.deps.database.transaction(async (tx) => {
      await tx.sql`SELECT FROM channels WHERE id = ${row.id} FOR NO KEY UPDATE`
      await closePeriods(tx.sql, row.realm_id, [row.id], [user.user.id])
    })
    channel.members.delete(user.user.id)
  }

  // The administrator stays, so that somebody can always let others in.
  for (const channel of channels) await join(admin, channel, [admin])
  for (let step = 0; step < steps; step += 1) {
    const user = people[random(people.length)]!
    const channel = channels[random(channels.length)]!
    switch (random(5)) {
      case 0:
        await join(admin, channel, [user])
        break
      case 1:
        if (user !== admin) await leave(channel, user)
        break
      case 2: {
        const other = people[random(people.length)]!
        const to = [other.user.id]
        const { id } = await room.call(sendMessage, user, { type: 'direct', to, content: `direct ${step}` })
        messages.push({ id, place: 'direct', recipients: new Set([user.user.id, other.user.id]) })
        break
      }
      default: {
        const from = channel.members.has(user.user.id) ? user : admin
        const { id } = await room.call(sendMessage, from, {
          type: 'channel',
          to: channel.name,
          topic: `topic ${random(3)}`,
          content: `step ${step}`,
        })
        messages.push({ id, place: channel, recipients: new Set(channel.members) })
      }
    }
  }
  return { people, messages, random }
}

/** Who may read what, said once more and in other words: for people to compare. */
const mayRead = (reader: KnownCaller, { place, recipients }: ModelMessage): boolean => {
  const received = recipients.has(reader.user.id)
  if (place === 'direct') return received
  const isIn = place.members.has(reader.user.id)
  if (!place.isPrivate) return isIn || !isGuest(reader.user)
  if (!isIn) return false
  return place.isHistoryShared || received
}

describe.each([1, 2, 3])('after the random history %i', (seed) => {
  it('everybody reads what a naive model says, singly and page by page', async () => {
    const { people, messages, random } = await live(seed, 120)
    const all = messages.map((message) => message.id)
    const { sql } = room.deps.database
    for (const reader of people) {
      const readable = await readableMessages(
        sql,
        room.realm.id,
        (await readerOf(room.deps, reader)).person,
        all,
      )
      const expected = messages.filter((message) => mayRead(reader, message))
      expect(readable.map((message) => message.id)).toEqual(expected.map((message) => message.id))

      const own = expected
        .filter((message) => message.recipients.has(reader.user.id))
        .map((message) => message.id)
      const list = (sent: object) => room.call(listMessages, reader, { ...sent })
      const whole = await list({ anchor: 'newest', num_before: 1000, num_after: 0 })
      expect(whole.messages.map((message) => message.id)).toEqual(own)
      for (let n = 0; n < 8; n += 1) {
        const anchor = all[random(all.length)]!
        const [num_before, num_after] = [random(40), random(40)]
        const page = await list({ anchor, num_before, num_after })
        const older = own.filter((id) => id < anchor)
        const newer = own.filter((id) => id > anchor)
        const found = own.includes(anchor)
        expect(page.messages.map((message) => message.id)).toEqual([
          ...older.slice(Math.max(0, older.length - num_before)),
          ...(found ? [anchor] : []),
          ...newer.slice(0, num_after),
        ])
        expect(page).toMatchObject({
          anchor,
          found_anchor: found,
          found_oldest: older.length < num_before,
          found_newest: newer.length < num_after,
        })
      }
    }
  })
})
