import { updateMessageEvent } from '@parley/contracts/channels/message-change-events'
import { messageChangesTopic } from '@parley/contracts/channels/topics'
import { audiencesOf } from '../messages/message-audience.ts'
import { flagBits } from '../messages/message-flags.ts'
import { sharedFlagsOf } from '../messages/outgoing-message.ts'
import { topicParticipants } from '../messages/topic-participants.ts'
import { demandMayCallMany } from '../messages/wildcard-permission.ts'
import type { Queries } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import type { TopicWish } from '../user-topics/automatic-policies.ts'
import { changeUserTopic } from '../user-topics/user-topic-changes.ts'
import { userTopicPolicy } from '../user-topics/user-topic-store.ts'
import { flagGroups } from './audience-flags.ts'
import type { ChangeScene } from './change-scene.ts'
import { mentionedIn, storeContent, storeMentions } from './change-store.ts'
import type { ChangedText } from './changed-text.ts'

/** Changes what a message says; tells those who have it. */
export const changeContent = async (scene: ChangeScene, text: ChangedText): Promise<void> => {
  const { tx, realm, message, channel } = scene
  const written = await writeContent(scene, text, undefined)
  const userIds =
    channel === undefined
      ? message.user_ids!
      : (await audiencesOf(tx.sql, realm, channel, [message])).flatMap((audience) => audience.userIds)
  await lockRealmOrder(tx.sql, realm.id)
  await followOnceMentioned(scene, written.news, message.topic)
  for (const group of await flagGroups(tx.sql, message.id, written.sharedFlags, userIds)) {
    tx.emit(
      updateMessageEvent,
      { realm: realm.id, users: [...group.userIds], personal: group.personal },
      {
        user_id: scene.actor.id,
        rendering_only: false,
        message_id: message.id,
        message_ids: [message.id],
        flags: group.flags,
        edit_timestamp: scene.now,
        ...(channel === undefined ? {} : { stream_id: channel.id, stream_name: channel.name }),
        ...written.fields,
      },
    )
  }
}

/** Stores new content, with its mentions, and the fact of it; `topic`: what the message is moved to as well. */
export const writeContent = async (scene: ChangeScene, text: ChangedText, topic: string | undefined) => {
  const { tx, realm, message, change, actor, now } = scene
  const { rendered } = text
  const marks = await marksOf(tx.sql, scene, text)
  const content = change.content!
  const sharedFlags = sharedFlagsOf(rendered)
  await storeContent(
    tx.sql,
    message.id,
    content,
    rendered,
    sharedFlags,
    { editorId: actor.id, at: now },
    topic,
  )
  const alreadyMentioned = await mentionedIn(tx.sql, message.id)
  await storeMentions(tx.sql, message.id, marks)
  const news = text.wishes.filter((wish) => marks.has(wish.user_id) && !alreadyMentioned.has(wish.user_id))
  tx.publish(messageChangesTopic, message.recipient_id, {
    kind: 'edited',
    realm_id: realm.id,
    message_id: message.id,
    sender_id: message.sender_id,
    editor_id: actor.id,
    content,
    rendered_content: rendered.html,
  })
  return {
    sharedFlags,
    /** Who is mentioned only now, and follows the topic by it. */
    news,
    fields: {
      orig_content: message.content,
      orig_rendered_content: message.rendered_content,
      content,
      rendered_content: rendered.html,
      is_me_message: rendered.is_me_message,
    },
  }
}

/**
 * Who is called by the text, or alerted, and received the message.
 *
 * @throws ApiError STREAM_WILDCARD_MENTION_NOT_ALLOWED, TOPIC_WILDCARD_MENTION_NOT_ALLOWED
 */
const marksOf = async (
  sql: Queries,
  { deps, realm, actor, message, channel }: ChangeScene,
  { rendered, calledInGroups, alerted }: ChangedText,
): Promise<Map<number, number>> => {
  const { users, wildcards } = rendered.mentions
  const marks = new Map<number, number>()
  const mark = (userIds: readonly number[], bit: number): void => {
    for (const id of userIds) marks.set(id, (marks.get(id) ?? 0) | bit)
  }
  mark(users, flagBits.mentioned)
  mark(calledInGroups, flagBits.mentioned)
  mark(alerted, flagBits.has_alert_word)
  if (channel !== undefined && wildcards.length > 0) {
    const participants = wildcards.includes('topic')
      ? await topicParticipants(sql, channel.id, message.topic)
      : []
    await demandMayCallMany(deps, realm, actor, {
      ...(wildcards.includes('channel') ? { channel: channel.subscriber_count } : {}),
      topic: participants.length,
    })
    mark(participants, flagBits.topic_wildcard_mentioned)
  }
  if (channel === undefined) {
    return new Map([...marks].filter(([id]) => message.user_ids!.includes(id)))
  }
  const received = await sql<{ user_id: number }[]>`
    SELECT p.user_id FROM subscription_periods p
    WHERE p.channel_id = ${channel.id} AND p.user_id = ANY (${[...marks.keys()]}::bigint[])
      AND p.from_version <= ${message.membership_version}
      AND (p.to_version IS NULL OR p.to_version > ${message.membership_version})`
  const recipients = new Set(received.map((row) => row.user_id))
  return new Map([...marks].filter(([id]) => recipients.has(id)))
}

/**
 * Whoever wants to follow topics where they are mentioned does so also when a change mentions them. The organization's order
 * is held by the caller: sends change policies under it.
 */
export const followOnceMentioned = async (
  { tx, realm, channel }: ChangeScene,
  wishes: readonly TopicWish[],
  topic: string,
): Promise<void> => {
  if (channel === undefined) return
  for (const { user_id, policy, unless } of wishes) {
    if (unless.includes(await userTopicPolicy(tx.sql, user_id, channel.id, topic))) continue
    const wish = { stream_id: channel.id, topic_name: topic, visibility_policy: policy }
    await changeUserTopic(tx, { realmId: realm.id, id: user_id }, wish)
  }
}
