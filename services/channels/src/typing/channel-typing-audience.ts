import { type KnownCaller, refuse } from '@parley/contracts'
import { channelTypingAudience as contract } from '@parley/contracts/channels/internals'
import { messageTopic } from '../messages/message-rules.ts'
import { demandMaySend } from '../messages/send-to-channel.ts'
import { internal } from '../room.ts'
import { typingListeners } from './typing-store.ts'

export const channelTypingAudience = internal(contract, async ({ input, deps }) => {
  const { caller, channel_id } = input
  if (caller.user === null) throw refuse('BAD_REQUEST', 'Only accounts type.')
  const topic = messageTopic(input.topic)
  await demandMaySend(deps, caller as KnownCaller, channel_id)
  const { database } = deps
  return { topic, user_ids: await database.guard(typingListeners(database.sql, channel_id)) }
})
