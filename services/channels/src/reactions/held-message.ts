import { type KnownCaller, refuse } from '@parley/contracts'
import { channelById, holdChannels } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { audiencesOf } from '../messages/message-audience.ts'
import { readableMessages, type StoredMessage } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import type { Deps, Queries } from '../room.ts'

/**
 * A message that somebody may read, held against other changes; and before it its channel, so that who is told of what is
 * done to the message is who is subscribed then.
 *
 * @throws ApiError BAD_REQUEST.
 */
export const holdMessage = async (
  deps: Deps,
  sql: Queries,
  caller: KnownCaller,
  messageId: number,
): Promise<StoredMessage> => {
  const { person } = await readerOf(deps, caller, sql)
  const realmId = caller.realm.id
  const [place] = await sql<{ channel_id: number | null }[]>`
    SELECT channel_id FROM messages WHERE id = ${messageId} AND realm_id = ${realmId}`
  if (place?.channel_id != null) await holdChannels(sql, realmId, [place.channel_id])
  await sql`
    SELECT FROM messages WHERE id = ${messageId} AND realm_id = ${realmId} FOR NO KEY UPDATE`
  const [message] = await readableMessages(sql, realmId, person, [messageId])
  // It may have been moved meanwhile.
  if (message === undefined || message.channel_id !== place?.channel_id) {
    throw refuse('BAD_REQUEST', 'Invalid message(s)')
  }
  return message
}

/** Who is told of what is done to a message. */
export const toldOf = async (sql: Queries, realm: Realm, message: StoredMessage): Promise<number[]> => {
  if (message.channel_id === null) return message.user_ids!
  const channel = await channelById(sql, realm.id, message.channel_id)
  return (await audiencesOf(sql, realm, channel!, [message])).flatMap((audience) => [...audience.userIds])
}
