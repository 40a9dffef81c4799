import { channelTypingAudience } from '@parley/contracts/channels/internals'
import { typingStart, typingStop } from '@parley/contracts/presence/events'
import { sendTyping as contract } from '@parley/contracts/presence/typing'
import { demandAccount } from '../accounts/demand-account.ts'
import { endpoint } from '../room.ts'

const events = { start: typingStart, stop: typingStop }

/** Nothing is stored, and nobody waits until it is told. */
export const sendTyping = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { op, type, to, stream_id, topic } = params
  const { users, live, ask, choices } = deps
  const realm = caller.realm.id
  const missing = (name: string) =>
    refuse('REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, { var_name: name })
  const wantsToKnow = (id: number): boolean => choices.of(id).receives_typing_notifications
  const typist = async () => {
    const { id, email } = await demandAccount(users, realm, caller.user.id)
    return { user_id: id, email }
  }

  if (type === 'stream' || type === 'channel') {
    if (!choices.of(caller.user.id).send_stream_typing_notifications) {
      throw refuse('BAD_REQUEST', 'User has disabled typing notifications for channel messages')
    }
    if (stream_id === undefined) throw refuse('BAD_REQUEST', 'Missing channel ID')
    if (topic === undefined) throw missing('topic')
    const audience = await ask(channelTypingAudience, { caller, channel_id: stream_id, topic })
    const listeners = audience.user_ids.filter(wantsToKnow)
    if (listeners.length === 0) return {}
    live.emit(
      events[op],
      { realm, users: listeners },
      { message_type: 'stream', sender: await typist(), stream_id, topic: audience.topic },
    )
    return {}
  }

  if (!choices.of(caller.user.id).send_private_typing_notifications) {
    throw refuse('BAD_REQUEST', 'User has disabled typing notifications for direct messages')
  }
  if (to === undefined) throw missing('to')
  if (to.length === 0) throw refuse('BAD_REQUEST', "Empty 'to' list")
  const ids = [...new Set([...to, caller.user.id])]
  const accounts = await users.byIds(realm, ids)
  const unknown = ids.find((id) => !accounts.has(id))
  if (unknown !== undefined) throw refuse('BAD_REQUEST', `Invalid user ID ${unknown}`)
  const people = ids.map((id) => accounts.get(id)!).sort((one, other) => one.id - other.id)
  live.emit(
    events[op],
    { realm, users: people.filter((one) => one.is_active && wantsToKnow(one.id)).map((one) => one.id) },
    {
      message_type: 'direct',
      sender: await typist(),
      recipients: people.map(({ id, email }) => ({ user_id: id, email })),
    },
  )
  return {}
})
