import { deleteMessageEvent } from '@parley/contracts/channels/message-change-events'
import { messageChangesTopic } from '@parley/contracts/channels/topics'
import type { Tx } from '@parley/kit'
import { channelById, lockChannels } from '../channels/channel-store.ts'
import { announceFirstMessage } from '../channels/first-message.ts'
import type { Realm } from '../directory/realm-store.ts'
import { lockMessages } from '../message-changes/change-store.ts'
import { audiencesOf } from '../messages/message-audience.ts'
import type { Deps } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { archiveMessages, type Expired } from './retention-store.ts'

interface Conversation {
  readonly realm_id: number
  readonly recipient_id: number
  /** Null for direct messages. */
  readonly channel_id: number | null
}

/**
 * Takes messages of one conversation away (they are archived for a while), and tells those who could read them. `find` says
 * which; it is asked again once nobody moves or deletes them, or changes who reads them: what has gone elsewhere meanwhile
 * is left alone.
 *
 * @returns how many.
 */
export const takeAway = async (
  deps: Pick<Deps, 'realms'>,
  tx: Tx,
  conversation: Conversation,
  find: () => Promise<readonly Expired[]>,
): Promise<number> => {
  const { sql } = tx
  const { realm_id, recipient_id, channel_id } = conversation
  if (channel_id !== null) await lockChannels(sql, realm_id, [channel_id])
  const held = new Set((await find()).map(({ id }) => id))
  await lockMessages(sql, [...held])
  const messages = (await find()).filter(({ id }) => held.has(id))
  if (messages.length === 0) return 0
  const message_ids = messages.map(({ id }) => id)
  const realm = await deps.realms.get(realm_id)
  await announceDeletions(tx, realm, conversation, messages)
  await archiveMessages(sql, message_ids)
  tx.publish(messageChangesTopic, recipient_id, { kind: 'deleted', realm_id, message_ids })
  const channel = channel_id === null ? undefined : await channelById(sql, realm_id, channel_id)
  // What the history begins with is told before the next message, or with it.
  await lockRealmOrder(sql, realm_id)
  if (channel !== undefined) await announceFirstMessage(tx, realm, channel, message_ids)
  return messages.length
}

/** Tells those who could read the messages that they are gone. */
const announceDeletions = async (
  tx: Tx,
  realm: Realm,
  { recipient_id, channel_id }: Conversation,
  messages: readonly Expired[],
): Promise<void> => {
  if (channel_id === null) {
    const [direct] = await tx.sql<{ user_ids: number[] }[]>`
      SELECT user_ids FROM conversations WHERE recipient_id = ${recipient_id}`
    const message_ids = messages.map((message) => message.id)
    const users = direct?.user_ids ?? []
    tx.emit(deleteMessageEvent, { realm: realm.id, users }, { message_type: 'private', message_ids })
    return
  }
  const channel = await channelById(tx.sql, realm.id, channel_id)
  if (channel === undefined) return
  const topicOf = new Map(messages.map((message) => [message.id, message.topic]))
  for (const { userIds, messageIds } of await audiencesOf(tx.sql, realm, channel, messages)) {
    for (const [topic, message_ids] of Map.groupBy(messageIds, (id) => topicOf.get(id)!)) {
      tx.emit(
        deleteMessageEvent,
        { realm: realm.id, users: [...userIds] },
        { message_type: 'stream', message_ids, stream_id: channel_id, topic },
      )
    }
  }
}
