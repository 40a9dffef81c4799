import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

const storage = z.record(z.string(), z.string())

export const putBotStorage = endpoint({
  method: 'PUT',
  path: '/bot_storage',
  service: 'identity',
  summary: 'Store texts under keys of the calling bot.',
  since: 494,
  access: 'bot',
  params: { storage },
  reply: {},
  errors: ['PERMISSION_DENIED'],
})

export const getBotStorage = endpoint({
  method: 'GET',
  path: '/bot_storage',
  service: 'identity',
  summary: 'What the calling bot stored, all of it or under some keys.',
  since: 494,
  access: 'bot',
  params: { keys: z.array(z.string()).optional() },
  reply: { storage },
  errors: ['PERMISSION_DENIED'],
})

export const deleteBotStorage = endpoint({
  method: 'DELETE',
  path: '/bot_storage',
  service: 'identity',
  summary: 'Remove what the calling bot stored, all of it or under some keys.',
  since: 494,
  access: 'bot',
  params: { keys: z.array(z.string()).optional() },
  reply: {},
  errors: ['PERMISSION_DENIED'],
})
