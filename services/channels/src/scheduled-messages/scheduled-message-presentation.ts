import type { ScheduledMessage } from '@parley/contracts/objects/scheduled-message'
import type { ScheduledRow } from './scheduled-message-store.ts'

/** The scheduled message object (facts section 1). */
export const presentScheduledMessage = (row: ScheduledRow): ScheduledMessage => {
  const shared = {
    scheduled_message_id: row.id,
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: row.due_at,
    failed: row.failure !== null,
  }
  return row.type === 'stream'
    ? { type: 'stream', to: row.recipients[0]!, topic: row.topic, ...shared }
    : { type: 'private', to: [...row.recipients], ...shared }
}
