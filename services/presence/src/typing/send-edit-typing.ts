import { editTypingAudience } from '@parley/contracts/channels/internals'
import { typingEditStart, typingEditStop } from '@parley/contracts/presence/events'
import { sendEditTyping as contract } from '@parley/contracts/presence/typing'
import { endpoint } from '../room.ts'

const events = { start: typingEditStart, stop: typingEditStop }

/** Nothing is stored, and nobody waits until it is told. */
export const sendEditTyping = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { message_id, op } = params
  const { user_ids, ...recipient } = await deps.ask(editTypingAudience, { caller, message_id })
  const own = deps.choices.of(caller.user.id)
  if (recipient.type === 'direct' && !own.send_private_typing_notifications) {
    throw refuse('BAD_REQUEST', 'User has disabled typing notifications for direct messages')
  }
  if (recipient.type === 'channel' && !own.send_stream_typing_notifications) {
    throw refuse('BAD_REQUEST', 'User has disabled typing notifications for channel messages')
  }
  const listeners = user_ids.filter((id) => deps.choices.of(id).receives_typing_notifications)
  if (listeners.length === 0) return {}
  deps.live.emit(
    events[op],
    { realm: caller.realm.id, users: listeners },
    {
      sender_id: caller.user.id,
      message_id,
      recipient: recipient.type === 'direct' ? { type: 'direct', user_ids } : recipient,
    },
  )
  return {}
})
