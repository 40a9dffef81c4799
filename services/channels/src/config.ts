import { engineSettings } from '@parley/kit'
import { z } from 'zod'

export const config = z.object({
  ...engineSettings.postgres,
  ...engineSettings.kafka,
  ...engineSettings.redis,
  SUBSCRIBER_TEXTS_MIB: z.coerce
    .number()
    .positive()
    .default(64)
    .describe(
      'Memory for lists of subscribers as the state of registrations shows them: some 15 bytes per subscription, which need not be read again.',
    ),
})
