import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { codePoints } from '../objects/values.ts'

export const testWelcomeMessage = endpoint({
  method: 'POST',
  path: '/realm/test_welcome_bot_custom_message',
  service: 'identity',
  summary: 'See how the welcome bot would say something to newcomers.',
  since: 407,
  access: 'administrator',
  params: {
    welcome_message_custom_text: z
      .string()
      .refine((text) => codePoints(text) <= limits.maxWelcomeMessageLength, {
        message: `welcome_message_custom_text is too long (limit: ${limits.maxWelcomeMessageLength} characters)`,
      }),
  },
  reply: { message_id: z.int() },
})
