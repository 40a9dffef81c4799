import { engineSettings } from '@parley/kit'
import { z } from 'zod'

export const config = z.object({
  ...engineSettings.kafka,
  MAX_BODY_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(32 * 1024 * 1024)
    .describe('Largest body of a request, in bytes; larger ones are answered with 413.'),
  ANSWER_SECONDS: z.coerce
    .number()
    .positive()
    .default(30)
    .describe('How long a service may take until its answer begins (long-polls have their own time).'),
})
