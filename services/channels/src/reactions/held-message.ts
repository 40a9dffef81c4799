import { type KnownCaller, refuse } from '@parley/contracts'
import { channelById } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { audiencesOf } from '../messages/message-audience.ts'
import { readableMessages, type StoredMessage } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import type { Deps, Queries } from '../room.ts'

/**
 * A message that somebody may read, held against other changes.
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
  await sql`
    SELECT FROM messages WHERE id = ${messageId} AND realm_id = ${caller.realm.id} FOR NO KEY UPDATE`
  const [message] = await readableMessages(sql, caller.realm.id, person, [messageId])
  if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  return message
}

/** Who is told of what is done to a message. */
export const toldOf = async (sql: Queries, realm: Realm, message: StoredMessage): Promise<number[]> => {
  if (message.channel_id === null) return message.user_ids!
  const channel = await channelById(sql, realm.id, message.channel_id)
  return (await audiencesOf(sql, realm, channel!, [message])).flatMap((audience) => [...audience.userIds])
}
