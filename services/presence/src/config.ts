import { engineSettings } from '@parley/kit'
import { z } from 'zod'

export const config = z.object({
  ...engineSettings.postgres,
  ...engineSettings.redis,
  ...engineSettings.kafka,
  CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether guests of an organization that limits whom they know see the presence of those people only. Costs them a question per ping, and such organizations their presence events.',
    ),
  PRESENCE_EVENT_USERS: z.coerce
    .number()
    .int()
    .nonnegative()
    .default(100)
    .describe(
      'Up to how many users online at once an organization is told of each who comes back; in larger ones clients learn it from their own next ping.',
    ),
  PRESENCE_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(14)
    .default(365)
    .describe('For how long it is remembered when somebody was last there.'),
})
