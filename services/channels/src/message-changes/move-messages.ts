/** Moves messages to another topic or channel; tells those who have them, and those who lose them. */
import { refuse } from '@parley/contracts'
import { deleteMessageEvent, updateMessageEvent } from '@parley/contracts/channels/message-change-events'
import { messageChangesTopic } from '@parley/contracts/channels/topics'
import { portions } from '@parley/kit/portions'
import { renderTopicLinks } from '@parley/markdown'
import { type ChannelRow, channelById } from '../channels/channel-store.ts'
import { announceEarlierFirstMessage, announceFirstMessage } from '../channels/first-message.ts'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import { type Audience, audiencesOf, strangersWhoMayRead } from '../messages/message-audience.ts'
import { membershipVersions, readableIds } from '../messages/message-store.ts'
import { demandTopic } from '../messages/topic-permission.ts'
import { mayReadChannel } from '../permissions/channel-permissions.ts'
import { isNamed } from '../permissions/find-actor.ts'
import { announceRead, idsInEvent } from '../read-state/read-announcements.ts'
import { type BecameRead, lockReadStates, unreadAmong } from '../read-state/read-store.ts'
import { currentMemberships, lockRealmOrder } from '../subscriptions/period-store.ts'
import { moveUserTopics } from '../user-topics/move-user-topics.ts'
import { flagGroups } from './audience-flags.ts'
import { followOnceMentioned, writeContent } from './change-content.ts'
import { demandInTime, demandMayMove, moveLimit, resolution } from './change-rules.ts'
import type { ChangeScene } from './change-scene.ts'
import { carryReadState, hasOthers, lockMessages, pairsKept, storeMove, threadOf } from './change-store.ts'
import type { ChangedText } from './changed-text.ts'
import { moveNotices } from './move-notices.ts'

/** @throws ApiError BAD_REQUEST, MOVE_MESSAGES_TIME_LIMIT_EXCEEDED. */
export const moveMessages = async (scene: ChangeScene, text: ChangedText | undefined): Promise<void> => {
  const { tx, realm, actor, message, change, now } = scene
  const { sql } = tx
  const channel = scene.channel!
  demandMayMove(actor, realm, channel, message, change)
  const target = change.channelId === undefined ? undefined : await findTarget(scene, change.channelId)
  const topic = change.topic ?? message.topic
  await demandTopic(scene.deps, { realm, channel: target ?? channel, topic }, scene.actor, tx.sql)
  const ids = await affected(scene)
  await lockMessages(sql, ids)
  const versions = await membershipVersions(sql, ids)
  const before = await audiencesOf(sql, realm, channel, versions)

  const record = { editorId: actor.id, at: now }
  const written =
    text === undefined || change.content === undefined
      ? undefined
      : await writeContent(scene, text, change.topic)
  const destination =
    target === undefined
      ? undefined
      : {
          channelId: target.id,
          recipientId: target.recipient_id,
          membershipVersion: target.membership_version,
        }
  let unread: readonly BecameRead[] = []
  if (target !== undefined && destination !== undefined) {
    await lockReadStates(sql, realm.id)
    // Before what is unread is carried over: that forgets what readers said of the messages where they were.
    unread = await unreadOutside(scene, target, before, ids)
    const from = { channelId: channel.id, recipientId: channel.recipient_id }
    await carryReadState(sql, ids, from, { ...destination, subscribers: target.subscriber_count })
  }
  const resolved = change.topic === undefined ? undefined : resolution(message.topic, change.topic)
  await storeMove(
    sql,
    ids,
    written === undefined ? undefined : message.id,
    {
      topic: change.topic,
      to: destination,
      isResolution: resolved !== undefined && target === undefined,
    },
    record,
  )
  const after = target === undefined ? before : await audienceAfter(scene, target, before, ids)
  const lost = target === undefined ? [] : losers(before, after)
  await moveNotices(scene, target, topic, ids.length, resolved)
  for (const message_ids of portions(ids, idsInEvent)) {
    tx.publish(messageChangesTopic, message.recipient_id, {
      kind: 'moved',
      realm_id: realm.id,
      message_ids,
      from: { channel_id: channel.id, topic: message.topic },
      to: { channel_id: (target ?? channel).id, topic },
    })
  }
  await lockRealmOrder(sql, realm.id)
  await carryUserTopics(scene, target ?? channel, topic, ids)
  await followOnceMentioned(scene, written?.news ?? [], topic)
  for (const audience of after) {
    for (const group of await flagGroups(
      sql,
      message.id,
      written?.sharedFlags ?? message.shared_flags,
      audience.userIds,
    )) {
      for (const message_ids of portions(audience.messageIds, idsInEvent)) {
        tx.emit(
          updateMessageEvent,
          { realm: realm.id, users: [...group.userIds], personal: group.personal },
          {
            user_id: actor.id,
            rendering_only: false,
            message_id: message.id,
            message_ids,
            flags: group.flags,
            edit_timestamp: now,
            stream_id: channel.id,
            stream_name: channel.name,
            ...(target === undefined ? {} : { new_stream_id: target.id }),
            propagate_mode: scene.params.propagate_mode,
            orig_subject: message.topic,
            ...(change.topic === undefined
              ? {}
              : { subject: change.topic, topic_links: renderTopicLinks(change.topic, linkifiersOf(realm)) }),
            ...written?.fields,
          },
        )
      }
    }
  }
  const lostBy = new Set(lost.flatMap(({ userIds }) => userIds))
  announceRead(tx, realm.id, ofOthers(unread, lostBy))
  for (const { userIds, messageIds } of lost) {
    for (const message_ids of portions(messageIds, idsInEvent)) {
      tx.emit(
        deleteMessageEvent,
        { realm: realm.id, users: [...userIds] },
        { message_type: 'stream', message_ids, stream_id: channel.id, topic: message.topic },
      )
    }
  }
  if (target === undefined) return
  await announceFirstMessage(tx, realm, channel, ids)
  await announceEarlierFirstMessage(tx, realm, target, ids)
}

/** Where messages may go: a channel that the mover may read and post in. */
const findTarget = async (scene: ChangeScene, channelId: number): Promise<ChannelRow> => {
  const { tx, deps, realm, actor } = scene
  const target = await channelById(tx.sql, realm.id, channelId)
  const isSubscribed = (await currentMemberships(tx.sql, [channelId], [actor.id])).length > 0
  if (target === undefined || !mayReadChannel(actor, target, isSubscribed)) {
    throw refuse('BAD_REQUEST', 'Invalid channel ID')
  }
  const mayPost =
    !target.is_archived &&
    (isSubscribed || (!target.invite_only && actor.role < 600)) &&
    (await isNamed(deps, actor, realm, target.group_settings.can_send_message_group))
  if (!mayPost) throw refuse('BAD_REQUEST', "You don't have permission to move this message")
  return target
}

/** The messages that are moved: of those that are meant, what the mover can see. */
const affected = async (scene: ChangeScene): Promise<number[]> => {
  const { tx, realm, actor, message, change, params, now } = scene
  const limit = moveLimit(actor, realm, message, change)
  const isChannelMove = change.channelId !== undefined
  if (params.propagate_mode === 'change_one') {
    if (limit !== undefined) demandInTime(limit, message, undefined, isChannelMove, now)
    return [message.id]
  }
  const isAll = params.propagate_mode === 'change_all'
  const thread = await threadOf(tx.sql, message.channel_id!, message.topic, isAll ? 0 : message.id)
  const seen = new Set(
    await readableIds(
      tx.sql,
      realm.id,
      actor,
      thread.map((one) => one.id),
    ),
  )
  const visible = thread.filter((one) => seen.has(one.id))
  if (limit !== undefined) demandInTime(limit, message, isAll ? visible : undefined, isChannelMove, now)
  return visible.map((one) => one.id)
}

/**
 * Who is told of a move to another channel: those who have the messages there, and those who had them and may read them
 * still; of others in the new channel, only those who may read in the old one, of which the event speaks.
 */
const audienceAfter = async (
  { tx, realm, channel }: ChangeScene,
  target: ChannelRow,
  before: readonly Audience[],
  ids: readonly number[],
): Promise<Audience[]> => {
  const { sql } = tx
  const arrived = (
    await audiencesOf(
      sql,
      realm,
      target,
      ids.map((id) => ({
        ...{ id, membership_version: target.membership_version },
        ...{ received_channel_id: null, received_version: null },
      })),
    )
  ).flatMap((audience) => audience.userIds)
  const had = new Set(before.flatMap((audience) => audience.userIds))
  const newcomers = arrived.filter((id) => !had.has(id))
  const informed = new Set(await strangersWhoMayRead(sql, realm, channel!, newcomers))
  const members = new Set(arrived)
  const everything = arrived.filter((id) => had.has(id) || informed.has(id))
  const outside = [...had].filter((id) => !members.has(id))
  const still = new Set(await strangersWhoMayRead(sql, realm, target, outside))
  return [
    { userIds: everything, messageIds: ids },
    ...before.map(({ userIds, messageIds }) => ({
      userIds: userIds.filter((id) => still.has(id)),
      messageIds,
    })),
  ].filter((audience) => audience.userIds.length > 0)
}

/** What of the messages is unread for those who had them and are not in the new channel: it is read there. */
const unreadOutside = async (
  { tx }: ChangeScene,
  target: ChannelRow,
  before: readonly Audience[],
  ids: readonly number[],
): Promise<BecameRead[]> => {
  const had = before.flatMap((audience) => audience.userIds)
  const inside = new Set((await currentMemberships(tx.sql, [target.id], had)).map((one) => one.user_id))
  const outside = had.filter((id) => !inside.has(id))
  return outside.length === 0 || outside.length * ids.length > pairsKept
    ? []
    : unreadAmong(tx.sql, outside, ids)
}

/** Without those who do not have the messages any more, and are told that. */
const ofOthers = (becameRead: readonly BecameRead[], without: ReadonlySet<number>): BecameRead[] =>
  becameRead
    .map(({ user_ids, message_ids }) => ({
      user_ids: user_ids.filter((id) => !without.has(id)),
      message_ids,
    }))
    .filter(({ user_ids }) => user_ids.length > 0)

/** Who had messages and is told of nothing but that they are gone. */
const losers = (before: readonly Audience[], after: readonly Audience[]): Audience[] => {
  const kept = new Set(after.flatMap((audience) => audience.userIds))
  return before
    .map(({ userIds, messageIds }) => ({ userIds: userIds.filter((id) => !kept.has(id)), messageIds }))
    .filter((audience) => audience.userIds.length > 0)
}

/** A topic that was moved as a whole takes along what people want of it; under the organization's order, like sends. */
const carryUserTopics = async (
  { tx, realm, channel, message, params }: ChangeScene,
  place: ChannelRow,
  topic: string,
  ids: readonly number[],
): Promise<void> => {
  const { sql } = tx
  const from = { channelId: channel!.id, topic: message.topic }
  const to = { channelId: place.id, topic }
  const moved = { there: to, count: ids.length }
  const isWhole = params.propagate_mode === 'change_all' || !(await hasOthers(sql, from, moved))
  if (!isWhole) return
  await moveUserTopics(tx, {
    realmId: realm.id,
    from,
    to,
    isMerge: await hasOthers(sql, to, moved),
    readersThere: async (userIds) => {
      const members = (await currentMemberships(sql, [place.id], userIds)).map((one) => one.user_id)
      return new Set([...members, ...(await strangersWhoMayRead(sql, realm, place, userIds))])
    },
  })
}
