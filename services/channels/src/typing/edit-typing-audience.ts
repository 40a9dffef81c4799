import { refuse } from '@parley/contracts'
import { editTypingAudience as contract } from '@parley/contracts/channels/internals'
import { channelById } from '../channels/channel-store.ts'
import { contentEditFinding } from '../message-changes/change-rules.ts'
import { audiencesOf } from '../messages/message-audience.ts'
import { readableMessages } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { internal } from '../room.ts'
import { typingListeners } from './typing-store.ts'

export const editTypingAudience = internal(contract, async ({ input, deps }) => {
  const { caller, message_id } = input
  if (caller.user === null) throw refuse('BAD_REQUEST', 'Only accounts edit messages.')
  const { database } = deps
  const { sql } = database
  const { person } = await readerOf(deps, caller)
  const [message] = await database.guard(readableMessages(sql, caller.realm.id, person, [message_id]))
  if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  const realm = await deps.realms.get(caller.realm.id)
  const finding = contentEditFinding(message, caller.user.id, realm, Date.now() / 1000)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  const { channel_id, topic, user_ids } = message
  if (channel_id === null) return { type: 'direct' as const, user_ids: user_ids! }
  const subscribers = new Set(await database.guard(typingListeners(sql, channel_id)))
  const channel = await database.guard(channelById(sql, caller.realm.id, channel_id))
  if (subscribers.size === 0 || channel === undefined) {
    return { type: 'channel' as const, channel_id, topic, user_ids: [] }
  }
  const audiences = await database.guard(audiencesOf(sql, realm, channel, [message]))
  const readers = audiences.flatMap(({ userIds }) => userIds.filter((id) => subscribers.has(id)))
  return { type: 'channel' as const, channel_id, topic, user_ids: readers }
})
