import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Id } from '../objects/values.ts'
import { typingEditStart, typingEditStop, typingStart, typingStop } from './events.ts'

const op = z.enum(['start', 'stop'])

export const sendTyping = endpoint({
  method: 'POST',
  path: '/typing',
  service: 'presence',
  brief: true,
  summary: 'Tell the readers-to-be that the caller is typing, or no longer.',
  access: 'authenticated',
  params: {
    op,
    type: z.enum(['direct', 'private', 'stream', 'channel']).default('direct'),
    /** Direct: user IDs, the caller need not be one of them. Some clients send a single one bare. */
    to: z
      .union([z.array(z.int()).max(limits.maxDirectRecipients), z.int().transform((id) => [id])])
      .optional(),
    stream_id: Id.optional(),
    topic: z.string().optional(),
  },
  reply: {},
  errors: ['REQUEST_VARIABLE_MISSING', 'STREAM_WITH_ID_DOES_NOT_EXIST'],
  emits: [typingStart, typingStop],
})

export const sendEditTyping = endpoint({
  method: 'POST',
  path: '/messages/{message_id}/typing',
  service: 'presence',
  summary: 'Tell the readers of a message that the caller is editing it, or no longer.',
  since: 351,
  access: 'authenticated',
  params: { message_id: Id, op },
  reply: {},
  emits: [typingEditStart, typingEditStop],
})
