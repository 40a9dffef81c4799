import type { streamUpdate } from '@parley/contracts/channels/events'
import { deleteMessageEvent } from '@parley/contracts/channels/message-change-events'
import { messageChangesTopic } from '@parley/contracts/channels/topics'
import type { Tx } from '@parley/kit'
import type { ChannelRow } from '../channels/channel-store.ts'
import { announceFirstMessage } from '../channels/first-message.ts'
import type { Realm } from '../directory/realm-store.ts'
import { audiencesOf } from '../messages/message-audience.ts'
import { membershipVersions } from '../messages/message-store.ts'
import { archiveMessages } from '../retention/retention-store.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { lockMessages } from './change-store.ts'

/** One topic's messages, or those of one direct conversation. */
export type Thread =
  | { readonly channel: ChannelRow; readonly topic: string }
  | { readonly recipientId: number; readonly userIds: readonly number[] }

/**
 * Takes messages of one thread away (they are archived for a while, for operators), and tells those who have them, and
 * whoever deletes them (`by`, who may read them all): their client shows them, wherever it found them. The channel's row is
 * held by the caller, so that who is told is who is subscribed.
 *
 * @returns those that there were.
 */
export const deleteMessages = async (
  tx: Tx<typeof deleteMessageEvent | typeof streamUpdate>,
  realm: Realm,
  thread: Thread,
  ids: readonly number[],
  by?: number,
): Promise<number[]> => {
  const { sql } = tx
  await lockMessages(sql, ids)
  const there = await membershipVersions(sql, ids)
  if (there.length === 0) return []
  const gone = there.map((one) => one.id)
  const audiences =
    'channel' in thread
      ? await audiencesOf(sql, realm, thread.channel, there)
      : [{ userIds: thread.userIds, messageIds: gone }]
  await archiveMessages(sql, gone)
  const recipientId = 'channel' in thread ? thread.channel.recipient_id : thread.recipientId
  tx.publish(messageChangesTopic, recipientId, {
    kind: 'deleted',
    realm_id: realm.id,
    message_ids: gone,
  })
  await lockRealmOrder(sql, realm.id)
  const knowsAlready = new Set(
    audiences
      .filter(({ userIds }) => by !== undefined && userIds.includes(by))
      .flatMap((one) => one.messageIds),
  )
  const others = gone.filter((id) => !knowsAlready.has(id))
  const deleter = by === undefined || others.length === 0 ? [] : [{ userIds: [by], messageIds: others }]
  for (const { userIds, messageIds } of [...audiences, ...deleter]) {
    const audience = { realm: realm.id, users: [...userIds] }
    const message_ids = [...messageIds]
    if ('channel' in thread) {
      const place = { stream_id: thread.channel.id, topic: thread.topic }
      tx.emit(deleteMessageEvent, audience, { message_type: 'stream', message_ids, ...place })
    } else tx.emit(deleteMessageEvent, audience, { message_type: 'private', message_ids })
  }
  if ('channel' in thread) await announceFirstMessage(tx, realm, thread.channel, gone)
  return gone
}
