/** What may happen in a random history; each act does it in the service and in the model. */
import { type KnownCaller, roles } from '@parley/contracts'
import { announcing } from '@parley/kit'
import { expect } from 'vitest'
import { updateChannel } from '../channels/update-channel.ts'
import { followUser } from '../directory/on-user-changed.ts'
import { usersByIds } from '../directory/user-store.ts'
import { deleteMessage } from '../message-changes/delete-message.ts'
import { updateMessage } from '../message-changes/update-message.ts'
import { addReaction } from '../reactions/add-reaction.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { removeSubscriptions } from '../subscriptions/remove-subscriptions.ts'
import { deleteTopic } from '../topics/delete-topic.ts'
import type { ModelChannel, ModelMessage } from './access-model.ts'
import type { World } from './access-world.ts'
import { sendMessage } from './send-message.ts'

/** What one step did, as far as events are about it. */
export interface Step {
  readonly did: string
  /** Messages that came, were changed, or went. */
  readonly sent?: number
  readonly changed?: readonly number[]
  readonly gone?: readonly number[]
}

type Act = (world: World) => Promise<Step | undefined>
export const pick = <T>(world: World, from: readonly T[]): T | undefined => from[world.random(from.length)]
const anybody = (world: World): KnownCaller => pick(world, [...world.people.values()])!
const anyChannel = (world: World): ModelChannel => pick(world, world.model.channels)!
const anyTopic = (world: World): string => `topic ${world.random(2)}`
const anyMessage = (world: World, which: (message: ModelMessage) => boolean): ModelMessage | undefined =>
  pick(world, [...world.model.messages.values()].filter(which))

const join: Act = async (world) => {
  const [who, channel] = [anybody(world), anyChannel(world)]
  await world.room.call(addSubscriptions, world.admin, {
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
  await world.room.call(removeSubscriptions, world.admin, sent)
  channel.members.delete(who.user.id)
  return { did: `${who.user.id} leaves ${channel.name}` }
}

const send: Act = async (world) => {
  const [channel, topic] = [anyChannel(world), anyTopic(world)]
  const sender = world.people.get(pick(world, [...channel.members])!)!
  const { id } = await world.room.call(sendMessage, sender, {
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
  const { id } = await world.room.call(sendMessage, from, { type: 'direct', to: [to.user.id], content: 'x' })
  world.model.sentDirectly(id, from.user.id, to.user.id)
  return { did: `${from.user.id} writes ${id} to ${to.user.id}`, sent: id }
}

const edit: Act = async (world) => {
  const message = anyMessage(world, (one) => world.model.mayRead(one.sender, one))
  if (message === undefined) return undefined
  const sender = world.people.get(message.sender)!
  const content = `edited ${world.random(1e9)}`
  await world.room.call(updateMessage, sender, { message_id: message.id, content })
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
  await world.room.call(updateMessage, admin, {
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
  await world.room.call(updateChannel, world.admin, {
    ...{ stream_id: channel.id, is_private: isPrivate, history_public_to_subscribers: isHistoryShared },
  })
  Object.assign(channel, { isPrivate, isHistoryShared })
  return { did: `${channel.name} becomes ${isPrivate ? 'private' : 'public'}, ${isHistoryShared}` }
}

const remove: Act = async (world) => {
  const { model, admin } = world
  const message = anyMessage(world, (one) => model.mayRead(admin.user.id, one))
  if (message === undefined) return undefined
  await world.room.call(deleteMessage, admin, { message_id: message.id })
  return { did: `deletes ${message.id}`, gone: [message.id] }
}

const removeTopic: Act = async (world) => {
  const { model, admin } = world
  const [channel, topic] = [anyChannel(world), anyTopic(world)]
  const gone = model.in(channel, topic).filter((one) => model.mayRead(admin.user.id, one))
  await world.room.call(deleteTopic, admin, { stream_id: channel.id, topic_name: topic })
  return { did: `deletes ${channel.name} > ${topic}`, gone: gone.map((one) => one.id) }
}

const react: Act = async (world) => {
  const who = anybody(world)
  const message = anyMessage(world, (one) => world.model.mayRead(who.user.id, one))
  if (message === undefined) return undefined
  const names = ['heart', 'smile', 'octopus', 'tada', 'rocket', 'bug', 'sunny', 'fire']
  const sent = { message_id: message.id, emoji_name: pick(world, names)! }
  // It may be there already.
  await world.room
    .call(addReaction, who, sent)
    .catch((error) => expect(error.error).toBe('REACTION_ALREADY_EXISTS'))
  return { did: `${who.user.id} reacts to ${message.id}` }
}

const promote: Act = async (world) => {
  const who = anybody(world)
  const { id } = who.user
  if (id === world.admin.user.id) return undefined
  const role = pick(world, ['guest', 'member', 'moderator', 'administrator'] as const)!
  const [user] = await usersByIds(world.room.deps.database.sql, world.room.realm.id, [id])
  const fact = { ...user!, role: roles[role], version: user!.version + 1 }
  await world.room.deps.database.transaction((tx) => followUser(announcing(tx), world.room.deps, fact))
  world.room.deps.users.learn(fact)
  world.people.set(id, { ...who, user: { ...who.user, role: roles[role] } })
  world.model.roles.set(id, role)
  return { did: `${id} becomes ${role}` }
}

export const acts: readonly Act[] = [
  ...[join, join, join, leave, leave, send, send, send, send, sendDirectly, edit, edit, move, move, close],
  ...[remove, removeTopic, react, promote],
]
