import { refuse } from '@parley/contracts'
import { editTypingAudience as contract } from '@parley/contracts/channels/internals'
import { readableMessages } from '../messages/message-store.ts'
import { internal } from '../room.ts'
import { contentEditFinding } from './edit-typing-rules.ts'
import { editListeners } from './typing-store.ts'

export const editTypingAudience = internal(contract, async ({ input, deps }) => {
  const { caller, message_id } = input
  if (caller.user === null) throw refuse('BAD_REQUEST', 'Only accounts edit messages.')
  const { database } = deps
  const [message] = await database.guard(
    readableMessages(database.sql, caller.realm.id, caller.user, [message_id]),
  )
  if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  const finding = contentEditFinding(message, caller.user.id, Date.now() / 1000)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  const { channel_id, topic, user_ids } = message
  if (channel_id === null) return { type: 'direct' as const, user_ids: user_ids! }
  const listeners = await database.guard(editListeners(database.sql, message_id))
  return { type: 'channel' as const, channel_id, topic, user_ids: listeners }
})
