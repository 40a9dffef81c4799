import { listScheduledMessages as contract } from '@parley/contracts/channels/scheduled-messages'
import { endpoint } from '../room.ts'
import { presentScheduledMessage } from './scheduled-message-presentation.ts'
import { scheduledMessagesOf } from './scheduled-message-store.ts'

export const listScheduledMessages = endpoint(contract, async ({ caller, deps: { database } }) => {
  const rows = await database.guard(scheduledMessagesOf(database.sql, caller.user.id))
  return { scheduled_messages: rows.map(presentScheduledMessage) }
})
