import type { ParamsOf } from '@parley/contracts'
import { scheduledMessagesUpdate } from '@parley/contracts/channels/events'
import { updateScheduledMessage as contract } from '@parley/contracts/channels/scheduled-messages'
import { endpoint } from '../room.ts'
import { demandFuture } from '../scheduler/delivery-time.ts'
import { planMessage, type Wanted } from './plan-message.ts'
import { presentScheduledMessage } from './scheduled-message-presentation.ts'
import { changeFinding } from './scheduled-message-rules.ts'
import { lockScheduledMessage, type ScheduledRow, storeScheduledMessage } from './scheduled-message-store.ts'

export const updateScheduledMessage = endpoint(
  contract,
  async ({ params, caller, deps, refuse, transaction }) => {
    const { scheduled_message_id, scheduled_delivery_timestamp, ...change } = params
    const finding = changeFinding(params)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    if (scheduled_delivery_timestamp !== undefined) demandFuture(scheduled_delivery_timestamp)
    return transaction(async (tx) => {
      const row = await lockScheduledMessage(tx.sql, caller.user.id, scheduled_message_id)
      if (row === undefined) throw refuse('RESOURCE_NOT_FOUND', 'Scheduled message does not exist')
      const due_at =
        row.failure === null
          ? (scheduled_delivery_timestamp ?? row.due_at)
          : demandFuture(scheduled_delivery_timestamp)
      const isSame = Object.values(change).every((value) => value === undefined)
      const plan = isSame ? row : await planMessage(deps, caller, changed(row, change))
      const stored = await storeScheduledMessage(tx.sql, row.id, {
        ...plan,
        client: caller.client.replaceAll('\0', '').toWellFormed(),
        read_by_sender: row.read_by_sender,
        due_at,
      })
      const to = { realm: caller.realm.id, users: [caller.user.id] }
      tx.emit(scheduledMessagesUpdate, to, { scheduled_message: presentScheduledMessage(stored) })
      tx.afterCommit(deps.bell.ring)
      return {}
    })
  },
)

type Change = Pick<ParamsOf<typeof contract>, 'type' | 'to' | 'content' | 'topic'>

/** The message that the row and what shall be different make together. */
const changed = (row: ScheduledRow, { type, to, content, topic }: Change): Wanted => ({
  isDirect: type === undefined ? row.type === 'private' : type === 'direct' || type === 'private',
  to: to ?? row.recipients,
  topic: topic ?? row.topic,
  content: content ?? row.content,
  readBySender: row.read_by_sender,
})
