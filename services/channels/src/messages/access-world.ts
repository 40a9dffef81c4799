/** Where random histories happen: an organization with people and channels, and the model beside it. */
import { type KnownCaller, type RoleName, roles } from '@parley/contracts'
import { wholeFields } from '@parley/kit'
import { createChannel } from '../channels/create-channel.ts'
import { subscriptionSection } from '../subscriptions/subscription-section.ts'
import type { TestRoom } from '../test-room.ts'
import { AccessModel } from './access-model.ts'

const generator = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export interface World {
  readonly room: TestRoom
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
export type Channels = Map<number, Set<number>>

export const settle = async (room: TestRoom, seed: number): Promise<World> => {
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
  for (const [id, who] of people) known.set(id, await channelsOf(room, who))
  return { room, model, admin, people, random, held, known }
}

/** The channels that somebody may know, as a registration says. */
export const channelsOf = async (room: TestRoom, who: KnownCaller): Promise<Channels> => {
  const options = { include_subscribers: true, client_capabilities: { archived_channels: true } }
  const context = { caller: who, options: options as never, deps: room.deps }
  const state = await room.deps.database.snapshot(async (sql, snapshot) =>
    wholeFields(await subscriptionSection.read({ ...context, sql, snapshot })),
  )
  const all = [...state.subscriptions, ...state.unsubscribed, ...state.never_subscribed]
  return new Map(all.map((one) => [one.stream_id, new Set(one.subscribers)]))
}

const roleNamed = (role: number): RoleName =>
  (Object.keys(roles) as RoleName[]).find((name) => roles[name] === role)!
