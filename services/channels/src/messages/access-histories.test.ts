/**
 * Random histories, lived through in the service and in a naive model. After every step everybody reads what the model
 * says, and nobody is told anything of a message that they cannot fetch; who has a message is told what becomes of it.
 * Which channels somebody knows, and who is in them, follows from what they are told.
 * `HISTORIES=n` lives through n of them, from `HISTORIES_SEED` on.
 */
import type { KnownCaller, RoleName } from '@parley/contracts'
import { roles } from '@parley/contracts'
import { announcing } from '@parley/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { updateChannel } from '../channels/update-channel.ts'
import { followUser } from '../directory/on-user-changed.ts'
import { usersByIds } from '../directory/user-store.ts'
import { deleteMessage } from '../message-changes/delete-message.ts'
import { updateMessage } from '../message-changes/update-message.ts'
import { readerOf } from '../narrows/reader.ts'
import { addReaction } from '../reactions/add-reaction.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { membersAt } from '../subscriptions/period-store.ts'
import { removeSubscriptions } from '../subscriptions/remove-subscriptions.ts'
import { subscriptionSection } from '../subscriptions/subscription-section.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { deleteTopic } from '../topics/delete-topic.ts'
import { AccessModel, type ModelChannel, type ModelMessage } from './access-model.ts'
import { readableIds } from './message-store.ts'
import { sendMessage } from './send-message.ts'

const histories = Number(process.env.HISTORIES ?? 3)
const firstSeed = Number(process.env.HISTORIES_SEED ?? 106)
const steps = 90

const generator = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

interface World {
  readonly model: AccessModel
  readonly admin: KnownCaller
  readonly people: Map<number, KnownCaller>
  readonly random: (below: number) => number
  /** By user, the messages that an event brought and none has taken. */
  readonly held: Map<number, Set<number>>
  /** By user, the channels that the user's client knows, and who is in them. */
  readonly known: Map<number, Channels>
}

/** By ID of the channel. */
type Channels = Map<number, Set<number>>

const settle = async (seed: number): Promise<World> => {
  const random = generator(seed)
  const admin = await room.person('administrator')
  const others = await Promise.all(
    (['member', 'member', 'moderator', 'guest', 'guest'] as const).map((role) => room.person(role)),
  )
  const model = new AccessModel()
  const people = new Map([admin, ...others].map((one) => [one.user.id, one]))
  for (const { user } of people.values()) model.roles.set(user.id, roleNamed(user.role))
  for (const [n, kind] of [
    { isPrivate: false, isHistoryShared: true },
    { isPrivate: true, isHistoryShared: false },
    { isPrivate: true, isHistoryShared: true },
    { isPrivate: false, isHistoryShared: true },
  ].entries()) {
    const name = `history ${seed}.${n}`
    const { id } = await room.call(createChannel, admin, {
      name,
      subscribers: [admin.user.id],
      invite_only: kind.isPrivate,
      history_public_to_subscribers: kind.isHistoryShared,
    })
    model.channels.push({ id, name, members: new Set([admin.user.id]), ...kind })
  }
  await room.announced()
  const held = new Map([...people.keys()].map((id) => [id, new Set<number>()]))
  const known = new Map<number, Channels>()
  for (const [id, who] of people) known.set(id, await channelsOf(who))
  return { model, admin, people, random, held, known }
}

/** The channels that somebody may know, as a registration says. */
const channelsOf = async (who: KnownCaller): Promise<Channels> => {
  const options = { include_subscribers: true, client_capabilities: { archived_channels: true } }
  const state = await room.deps.database.snapshot((sql, snapshot) =>
    subscriptionSection.read({ caller: who, options: options as never, sql, snapshot, deps: room.deps }),
  )
  const all = [...state.subscriptions, ...state.unsubscribed, ...state.never_subscribed]
  return new Map(all.map((one) => [one.stream_id, new Set(one.subscribers)]))
}

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

const roleNamed = (role: number): RoleName =>
  (Object.keys(roles) as RoleName[]).find((name) => roles[name] === role)!

/** What one step did, as far as events are about it. */
interface Step {
  readonly did: string
  /** Messages that came, were changed, or went. */
  readonly sent?: number
  readonly changed?: readonly number[]
  readonly gone?: readonly number[]
}

type Act = (world: World) => Promise<Step | undefined>
const pick = <T>(world: World, from: readonly T[]): T | undefined => from[world.random(from.length)]
const anybody = (world: World): KnownCaller => pick(world, [...world.people.values()])!
const anyChannel = (world: World): ModelChannel => pick(world, world.model.channels)!
const anyTopic = (world: World): string => `topic ${world.random(2)}`
const anyMessage = (world: World, which: (message: ModelMessage) => boolean): ModelMessage | undefined =>
  pick(world, [...world.model.messages.values()].filter(which))

const join: Act = async (world) => {
  const [who, channel] = [anybody(world), anyChannel(world)]
  await room.call(addSubscriptions, world.admin, {
    subscriptions: [{ name: channel.name }],
    principals: [who.user.id],
  })
  channel.members.add(who.user.id)
  return { did: `${who.user.id} joins ${channel.name}` }
}

const leave: Act = async (world) => {
  const [who, channel] = [anybody(world), anyChannel(world)]
  if (who.user.id === world.admin.user.id) return undefined
  const sent = { subscriptions: [channel.name], principals: [who.user.id] }
  await room.call(removeSubscriptions, world.admin, sent)
  channel.members.delete(who.user.id)
  return { did: `${who.user.id} leaves ${channel.name}` }
}

const send: Act = async (world) => {
  const [channel, topic] = [anyChannel(world), anyTopic(world)]
  const sender = world.people.get(pick(world, [...channel.members])!)!
  const { id } = await room.call(sendMessage, sender, {
    type: 'channel',
    to: channel.id,
    topic,
    content: 'x',
  })
  world.model.sent(id, sender.user.id, channel, topic)
  return { did: `${sender.user.id} sends ${id} to ${channel.name}`, sent: id }
}

const sendDirectly: Act = async (world) => {
  const [from, to] = [anybody(world), anybody(world)]
  const { id } = await room.call(sendMessage, from, { type: 'direct', to: [to.user.id], content: 'x' })
  world.model.sentDirectly(id, from.user.id, to.user.id)
  return { did: `${from.user.id} writes ${id} to ${to.user.id}`, sent: id }
}

const edit: Act = async (world) => {
  const message = anyMessage(world, (one) => world.model.mayRead(one.sender, one))
  if (message === undefined) return undefined
  const sender = world.people.get(message.sender)!
  const content = `edited ${world.random(1e9)}`
  await room.call(updateMessage, sender, { message_id: message.id, content })
  return { did: `${message.sender} edits ${message.id}`, changed: [message.id] }
}

const move: Act = async (world) => {
  const { model, admin } = world
  const message = anyMessage(world, (one) => one.channel !== undefined && model.mayRead(admin.user.id, one))
  if (message === undefined) return undefined
  const [to, topic] = [anyChannel(world), anyTopic(world)]
  if (to === message.channel && topic === message.topic) return undefined
  const mode = pick(world, ['change_one', 'change_later', 'change_all'] as const)!
  const thread = model.in(message.channel!, message.topic).filter((one) => model.mayRead(admin.user.id, one))
  const moved = thread.filter(
    (one) => one === message || mode === 'change_all' || (mode === 'change_later' && one.id > message.id),
  )
  await room.call(updateMessage, admin, {
    ...{ message_id: message.id, propagate_mode: mode, topic },
    ...(to === message.channel ? {} : { stream_id: to.id }),
  })
  const ids = moved.map((one) => one.id)
  for (const one of moved) model.moved(one, to, topic)
  return { did: `moves ${ids} to ${to.name} > ${topic}`, changed: ids }
}

const close: Act = async (world) => {
  const channel = anyChannel(world)
  const isPrivate = world.random(2) === 0
  const isHistoryShared = !isPrivate || world.random(2) === 0
  await room.call(updateChannel, world.admin, {
    ...{ stream_id: channel.id, is_private: isPrivate, history_public_to_subscribers: isHistoryShared },
  })
  Object.assign(channel, { isPrivate, isHistoryShared })
  return { did: `${channel.name} becomes ${isPrivate ? 'private' : 'public'}, ${isHistoryShared}` }
}

const remove: Act = async (world) => {
  const { model, admin } = world
  const message = anyMessage(world, (one) => model.mayRead(admin.user.id, one))
  if (message === undefined) return undefined
  await room.call(deleteMessage, admin, { message_id: message.id })
  return { did: `deletes ${message.id}`, gone: [message.id] }
}

const removeTopic: Act = async (world) => {
  const { model, admin } = world
  const [channel, topic] = [anyChannel(world), anyTopic(world)]
  const gone = model.in(channel, topic).filter((one) => model.mayRead(admin.user.id, one))
  await room.call(deleteTopic, admin, { stream_id: channel.id, topic_name: topic })
  return { did: `deletes ${channel.name} > ${topic}`, gone: gone.map((one) => one.id) }
}

const react: Act = async (world) => {
  const who = anybody(world)
  const message = anyMessage(world, (one) => world.model.mayRead(who.user.id, one))
  if (message === undefined) return undefined
  const names = ['heart', 'smile', 'octopus', 'tada', 'rocket', 'bug', 'sunny', 'fire']
  const sent = { message_id: message.id, emoji_name: pick(world, names)! }
  // It may be there already.
  await room
    .call(addReaction, who, sent)
    .catch((error) => expect(error.error).toBe('REACTION_ALREADY_EXISTS'))
  return { did: `${who.user.id} reacts to ${message.id}` }
}

const promote: Act = async (world) => {
  const who = anybody(world)
  const { id } = who.user
  if (id === world.admin.user.id) return undefined
  const role = pick(world, ['guest', 'member', 'moderator', 'administrator'] as const)!
  const [user] = await usersByIds(room.deps.database.sql, room.realm.id, [id])
  const fact = { ...user!, role: roles[role], version: user!.version + 1 }
  await room.deps.database.transaction((tx) => followUser(announcing(tx), room.deps, fact))
  room.deps.users.learn(fact)
  world.people.set(id, { ...who, user: { ...who.user, role: roles[role] } })
  world.model.roles.set(id, role)
  return { did: `${id} becomes ${role}` }
}

const acts: readonly Act[] = [
  ...[join, join, join, leave, leave, send, send, send, send, sendDirectly, edit, edit, move, move, close],
  ...[remove, removeTopic, react, promote],
]

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
      const world = await settle(seed)
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
              expect(inOrder(world.known.get(id)!)).toEqual(inOrder(await channelsOf(who)))
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
