import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { submessageEvent } from './reaction-events.ts'
import { mutedTopicsEvent, userTopicEvent } from './user-topic-events.ts'

export const addSubmessage = endpoint({
  method: 'POST',
  path: '/submessage',
  service: 'channels',
  summary: 'Use the widget (a poll, a to-do list) of a message.',
  access: 'authenticated',
  params: { message_id: z.int(), msg_type: z.string(), content: z.string() },
  reply: {},
  emits: [submessageEvent, userTopicEvent, mutedTopicsEvent],
})

export const renderMessageText = endpoint({
  method: 'POST',
  path: '/messages/render',
  service: 'channels',
  summary: 'The HTML of a text, as a message would have it.',
  access: 'authenticated',
  params: { content: z.string() },
  reply: { rendered: z.string() },
})
