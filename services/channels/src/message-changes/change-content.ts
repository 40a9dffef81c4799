import { updateMessageEvent } from '@parley/contracts/channels/message-change-events'
import { messageChangesTopic } from '@parley/contracts/channels/topics'
import type { Rendered } from '@parley/markdown'
import { audiencesOf } from '../messages/message-audience.ts'
import { flagBits } from '../messages/message-flags.ts'
import { topicParticipants } from '../messages/topic-participants.ts'
import type { Queries } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { flagGroups } from './audience-flags.ts'
import type { ChangeScene } from './change-scene.ts'
import { storeContent, storeMentions } from './change-store.ts'

/** Changes what a message says; tells those who have it. */
export const changeContent = async (scene: ChangeScene, rendered: Rendered): Promise<void> => {
  const { tx, realm, message, channel } = scene
  const written = await writeContent(scene, rendered, undefined)
  const userIds =
    channel === undefined
      ? message.user_ids!
      : (await audiencesOf(tx.sql, realm, channel, [message])).flatMap((audience) => audience.userIds)
  await lockRealmOrder(tx.sql, realm.id)
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
export const writeContent = async (scene: ChangeScene, rendered: Rendered, topic: string | undefined) => {
  const { tx, realm, message, change, actor, now } = scene
  const content = change.content!
  const sharedFlags =
    message.channel_id !== null && rendered.mentions.wildcards.includes('channel')
      ? flagBits.stream_wildcard_mentioned
      : 0
  await storeContent(
    tx.sql,
    message.id,
    content,
    rendered,
    sharedFlags,
    { editorId: actor.id, at: now },
    topic,
  )
  await storeMentions(tx.sql, message.id, await marksOf(tx.sql, scene, rendered))
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
    fields: {
      orig_content: message.content,
      orig_rendered_content: message.rendered_content,
      content,
      rendered_content: rendered.html,
      is_me_message: rendered.is_me_message,
    },
  }
}

/** Who is mentioned and received the message. */
const marksOf = async (
  sql: Queries,
  { message, channel }: ChangeScene,
  { mentions }: Rendered,
): Promise<Map<number, number>> => {
  const marks = new Map(mentions.users.map((id) => [id, flagBits.mentioned as number]))
  if (channel !== undefined && mentions.wildcards.includes('topic')) {
    for (const id of await topicParticipants(sql, channel.id, message.topic)) {
      marks.set(id, (marks.get(id) ?? 0) | flagBits.topic_wildcard_mentioned)
    }
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
