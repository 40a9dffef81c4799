import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Reminder } from '../objects/scheduled-message.ts'
import { Id } from '../objects/values.ts'
import { remindersAdd, remindersRemove } from './events.ts'

export const listReminders = endpoint({
  method: 'GET',
  path: '/reminders',
  service: 'channels',
  summary: 'Reminders of the caller that are still to come, the next one first.',
  since: 399,
  access: 'authenticated',
  params: {},
  reply: { reminders: z.array(Reminder) },
})

export const createReminder = endpoint({
  method: 'POST',
  path: '/reminders',
  service: 'channels',
  summary: 'Be reminded of a message later.',
  since: 381,
  access: 'authenticated',
  params: {
    message_id: Id,
    scheduled_delivery_timestamp: z.int().max(limits.maxTimestamp),
    note: z.string().optional(),
  },
  reply: { reminder_id: z.int() },
  emits: [remindersAdd],
})

export const deleteReminder = endpoint({
  method: 'DELETE',
  path: '/reminders/{reminder_id}',
  service: 'channels',
  summary: 'Not be reminded after all.',
  since: 399,
  access: 'authenticated',
  params: { reminder_id: Id },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [remindersRemove],
})
