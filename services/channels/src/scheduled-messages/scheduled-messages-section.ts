import { scheduledMessagesSection as contract } from '@parley/contracts/channels/personal-sections'
import { section } from '../room.ts'
import { presentScheduledMessage } from './scheduled-message-presentation.ts'
import { scheduledMessagesOf } from './scheduled-message-store.ts'

export const scheduledMessagesSection = section(
  contract,
  async ({ caller, sql }) => ({
    scheduled_messages: (await scheduledMessagesOf(sql, caller.user.id)).map(presentScheduledMessage),
  }),
  async () => ({ scheduled_messages: [] }),
)
