import { z } from 'zod'
import { event } from '../event.ts'
import { MessageFlags, MessageRecord, presentMessage, withoutSender } from '../objects/message.ts'

/** A message was sent. Written down once, neutral; each kind of client receives its own form. */
export const messageEvent = event({
  type: 'message',
  fields: {
    message: MessageRecord,
    flags: MessageFlags,
    /** The client's own name for the message, echoed to the queue that it sent from. */
    local_message_id: z.string().optional(),
    /** That queue; never shown. */
    sending_queue_id: z.string().optional(),
    /** For readers who may not know the sender: the address to show instead of the real one. Never shown itself. */
    masked_sender_email: z.string().optional(),
  },
  shape: (event, client) => {
    const {
      message,
      sending_queue_id: _,
      masked_sender_email,
      ...rest
    } = event as { message: MessageRecord; sending_queue_id?: string; masked_sender_email?: string }
    const wants = { ...client, empty_topic_name: client.capabilities.empty_topic_name }
    const shown = masked_sender_email === undefined ? message : withoutSender(message, masked_sender_email)
    return [{ ...rest, message: presentMessage(shown, wants) }]
  },
})

export * from './channel-events.ts'
export * from './folder-events.ts'
export * from './message-change-events.ts'
export * from './message-events.ts'
export * from './personal-events.ts'
export * from './reaction-events.ts'
export * from './user-topic-events.ts'
