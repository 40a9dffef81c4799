/**
 * Random histories, lived through in the service and in a naive model. After every step everybody reads what the model
 * says, and nobody is told anything of a message that they cannot fetch; who has a message is told what becomes of it.
 * Which channels somebody knows, and who is in them, follows from what they are told.
 * `HISTORIES=n` lives through n of them, from `HISTORIES_SEED` on.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readerOf } from '../narrows/reader.ts'
import { membersAt } from '../subscriptions/period-store.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { acts, pick, type Step } from './access-acts.ts'
import type { ModelChannel } from './access-model.ts'
import { type Channels, channelsOf, settle, type World } from './access-world.ts'
import { readableIds } from './message-store.ts'

const histories = Number(process.env.HISTORIES ?? 3)
const firstSeed = Number(process.env.HISTORIES_SEED ?? 106)
const steps = 90

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

/** What one event says of channels. Whoever is told of members of a channel knows the channel. */
const hearOfChannels = (event: Announced['value'], user: number, known: Channels): void => {
  switch (`${event.type} ${event.op}`) {
    case 'stream create':
      for (const { stream_id } of event.streams) if (!known.has(stream_id)) known.set(stream_id, new Set())
      return
    case 'stream delete':
      for (const id of event.stream_ids) known.delete(id)
      return
    case 'stream update':
      expect([...known.keys()]).toContain(event.stream_id)
      return
    case 'subscription add':
      for (const { stream_id, subscribers } of event.subscriptions) {
        expect([...known.keys()]).toContain(stream_id)
        known.set(stream_id, new Set(subscribers))
      }
      return
    case 'subscription remove':
      for (const { stream_id } of event.subscriptions) known.get(stream_id)!.delete(user)
      return
    case 'subscription peer_add':
      for (const id of event.stream_ids) for (const one of event.user_ids) known.get(id)!.add(one)
      return
    case 'subscription peer_remove':
      for (const id of event.stream_ids) for (const one of event.user_ids) known.get(id)!.delete(one)
  }
}

/** Channels and members in one order, to be compared. */
const inOrder = (channels: Channels): [number, number[]][] =>
  [...channels]
    .map(([id, members]): [number, number[]] => [id, [...members].sort((a, b) => a - b)])
    .sort(([one], [other]) => one - other)

const recipientsOf = async ({ audience }: Announced): Promise<number[]> => {
  const { users, resolve } = audience
  if (resolve === undefined) return users ?? []
  const members = await membersAt(room.deps.database.sql, resolve.args.channel_id, resolve.args.version)
  return [...new Set([...(users ?? []), ...members])]
}

const readable = async (world: World, user: number): Promise<number[]> => {
  const { person } = await readerOf(room.deps, world.people.get(user)!)
  return readableIds(room.deps.database.sql, room.realm.id, person, [...world.model.messages.keys()])
}

/** What one person's client is told by one event. */
const hear = (
  event: Announced['value'],
  had: ReadonlySet<number>,
  may: ReadonlySet<number>,
  held: Set<number>,
) => {
  switch (event.type) {
    case 'message':
      expect(may).toContain(event.message.id)
      held.add(event.message.id)
      return
    case 'update_message':
      for (const id of event.message_ids) expect(may).toContain(id)
      return
    case 'reaction':
      expect(may).toContain(event.message_id)
      return
    case 'delete_message':
      for (const id of event.message_ids) {
        expect(had).toContain(id)
        expect(may).not.toContain(id)
        held.delete(id)
      }
  }
}

/** Whether an event says that something of a channel is no longer the recipient's to read. */
const takesSight = (event: Announced['value'], channel: ModelChannel): boolean => {
  switch (`${event.type} ${event.op}`) {
    case 'subscription remove':
      return event.subscriptions.some((one: { stream_id: number }) => one.stream_id === channel.id)
    case 'stream delete':
      return event.stream_ids.includes(channel.id)
    case 'stream update':
      return event.stream_id === channel.id && event.property === 'invite_only'
    default:
      return false
  }
}

const check = async (world: World, step: Step, before: ReadonlyMap<number, ReadonlySet<number>>) => {
  const { model, people, held } = world
  const rows = (await room.announced()).filter((row) => row.topic === 'client-events')
  const heard = new Map<number, Announced['value'][]>([...people.keys()].map((id) => [id, []]))
  for (const row of rows) {
    for (const user of await recipientsOf(row)) heard.get(user)?.push(row.value)
  }
  for (const user of people.keys()) {
    const may = new Set(await readable(world, user))
    expect([...may]).toEqual(model.readableBy(user))
    const [had, own, events] = [before.get(user)!, held.get(user)!, heard.get(user)!]
    const holding = new Set(own)
    for (const event of events) {
      hear(event, had, may, own)
      hearOfChannels(event, user, world.known.get(user)!)
    }

    const isTold = (type: string, id: number) =>
      events.some((event) => event.type === type && event.message_ids?.includes(id))
    if (step.sent !== undefined) {
      expect(own.has(step.sent)).toBe(model.messages.get(step.sent)!.recipients.has(user))
    }
    for (const id of step.changed ?? []) {
      if (holding.has(id)) expect(isTold(may.has(id) ? 'update_message' : 'delete_message', id)).toBe(true)
    }
    for (const id of step.gone ?? []) {
      if (holding.has(id) && had.has(id)) expect(isTold('delete_message', id)).toBe(true)
    }
    // What was taken otherwise was taken with the channel, or its history, and of that the client is told.
    for (const id of holding) {
      const message = model.messages.get(id)
      if (may.has(id) || isTold('delete_message', id) || message === undefined) continue
      expect(events.some((event) => takesSight(event, message.channel!))).toBe(true)
      own.delete(id)
    }
  }
}

describe.each(Array.from({ length: histories }, (_, n) => firstSeed + n))(
  'in the random history %i',
  (seed) => {
    it('everybody reads what the model says, and is told of nothing else', async () => {
      const world = await settle(room, seed)
      const done: string[] = []
      while (done.length < steps) {
        const before = new Map<number, Set<number>>()
        for (const user of world.people.keys()) before.set(user, new Set(world.model.readableBy(user)))
        const step = await pick(world, acts)!(world)
        if (step === undefined) continue
        done.push(step.did)
        for (const id of step.gone ?? []) world.model.messages.delete(id)
        try {
          await check(world, step, before)
          if (done.length % 10 === 0) {
            for (const [id, who] of world.people) {
              expect(inOrder(world.known.get(id)!)).toEqual(inOrder(await channelsOf(room, who)))
            }
          }
        } catch (error) {
          throw new Error(`after: ${done.slice(-12).join('; ')}`, { cause: error })
        }
      }
      expect(world.model.messages.size).toBeGreaterThan(5)
    }, 60_000)
  },
)
