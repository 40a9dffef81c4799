import { limits } from '@parley/contracts'
import { scheduledMessagesAdd } from '@parley/contracts/channels/events'
import { createScheduledMessage as contract } from '@parley/contracts/channels/scheduled-messages'
import { endpoint } from '../room.ts'
import { demandFuture } from '../scheduler/delivery-time.ts'
import { planMessage } from './plan-message.ts'
import { presentScheduledMessage } from './scheduled-message-presentation.ts'
import { insertScheduledMessage } from './scheduled-message-store.ts'

export const createScheduledMessage = endpoint(
  contract,
  async ({ params, caller, deps, refuse, transaction }) => {
    const due_at = demandFuture(params.scheduled_delivery_timestamp)
    const plan = await planMessage(deps, caller, {
      isDirect: params.type === 'direct' || params.type === 'private',
      to: params.to,
      topic: params.topic,
      content: params.content,
      readBySender: params.read_by_sender,
    })
    return transaction(async (tx) => {
      const owner = { realm_id: caller.realm.id, user_id: caller.user.id }
      const limit = limits.maxScheduledMessages
      const row = await insertScheduledMessage(tx.sql, owner, { ...plan, due_at }, limit)
      if (row === undefined) {
        throw refuse('BAD_REQUEST', `You can't have more than ${limit} scheduled messages.`)
      }
      const to = { realm: caller.realm.id, users: [caller.user.id] }
      tx.emit(scheduledMessagesAdd, to, { scheduled_messages: [presentScheduledMessage(row)] })
      tx.afterCommit(deps.bell.ring)
      return { scheduled_message_id: row.id }
    })
  },
)
