import { editTypingAudience } from '@parley/contracts/channels/internals'
import { typingEditStart, typingEditStop } from '@parley/contracts/presence/events'
import { sendEditTyping as contract } from '@parley/contracts/presence/typing'
import { endpoint } from '../room.ts'

const events = { start: typingEditStart, stop: typingEditStop }

/** Nothing is stored, and nobody waits until it is told. */
export const sendEditTyping = endpoint(contract, async ({ params, caller, deps }) => {
  const { message_id, op } = params
  const { user_ids, ...recipient } = await deps.ask(editTypingAudience, { caller, message_id })
  if (user_ids.length === 0) return {}
  deps.live.emit(
    events[op],
    { realm: caller.realm.id, users: user_ids },
    {
      sender_id: caller.user.id,
      message_id,
      recipient: recipient.type === 'direct' ? { type: 'direct', user_ids } : recipient,
    },
  )
  return {}
})
