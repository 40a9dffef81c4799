import { scheduledMessagesRemove } from '@parley/contracts/channels/events'
import { deleteScheduledMessage as contract } from '@parley/contracts/channels/scheduled-messages'
import { endpoint } from '../room.ts'
import { removeScheduledMessage } from './scheduled-message-store.ts'

export const deleteScheduledMessage = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { scheduled_message_id } = params
    if (!(await removeScheduledMessage(tx.sql, caller.user.id, scheduled_message_id))) {
      throw refuse('RESOURCE_NOT_FOUND', 'Scheduled message does not exist')
    }
    const to = { realm: caller.realm.id, users: [caller.user.id] }
    tx.emit(scheduledMessagesRemove, to, { scheduled_message_id })
    return {}
  }),
)
