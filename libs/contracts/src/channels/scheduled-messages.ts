import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { ScheduledMessage } from '../objects/scheduled-message.ts'
import { Id } from '../objects/values.ts'
import { scheduledMessagesAdd, scheduledMessagesRemove, scheduledMessagesUpdate } from './events.ts'

const Type = z.enum(['direct', 'channel', 'stream', 'private'])
/** A channel, or people; by ID. */
const To = z.union([z.int(), z.array(z.int()).max(limits.maxDirectRecipients)])
const Time = z.int().max(limits.maxTimestamp)

export const listScheduledMessages = endpoint({
  method: 'GET',
  path: '/scheduled_messages',
  service: 'channels',
  summary: 'Messages of the caller that are still to be sent, the next one first.',
  since: 173,
  access: 'authenticated',
  params: {},
  reply: { scheduled_messages: z.array(ScheduledMessage) },
})

export const createScheduledMessage = endpoint({
  method: 'POST',
  path: '/scheduled_messages',
  service: 'channels',
  summary: 'Have a message sent later.',
  since: 179,
  access: 'authenticated',
  params: {
    type: Type,
    to: To,
    content: z.string(),
    topic: z.string().optional(),
    scheduled_delivery_timestamp: Time,
    read_by_sender: z.boolean().optional(),
  },
  aliases: { topic: ['subject'] },
  reply: { scheduled_message_id: z.int() },
  errors: ['STREAM_WITH_ID_DOES_NOT_EXIST'],
  emits: [scheduledMessagesAdd],
})

export const updateScheduledMessage = endpoint({
  method: 'PATCH',
  path: '/scheduled_messages/{scheduled_message_id}',
  service: 'channels',
  summary: 'Change a message that is still to be sent; one that could not be sent needs a new time.',
  since: 184,
  access: 'authenticated',
  params: {
    scheduled_message_id: Id,
    type: Type.optional(),
    to: To.optional(),
    content: z.string().optional(),
    topic: z.string().optional(),
    scheduled_delivery_timestamp: Time.optional(),
  },
  aliases: { topic: ['subject'] },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND', 'STREAM_WITH_ID_DOES_NOT_EXIST'],
  emits: [scheduledMessagesUpdate],
})

export const deleteScheduledMessage = endpoint({
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  service: 'channels',
  summary: 'Have a message not sent after all.',
  since: 173,
  access: 'authenticated',
  params: { scheduled_message_id: Id },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [scheduledMessagesRemove],
})
