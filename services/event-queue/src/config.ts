import { engineSettings } from '@parley/kit'
import { z } from 'zod'

export const config = z.object({
  ...engineSettings.kafka,
  ...engineSettings.redis,
  MAX_PENDING_EVENTS: z.coerce
    .number()
    .int()
    .positive()
    .default(10_000)
    .describe('Most unread records of one queue; a client further behind has to register anew.'),
  RELEASE: z
    .string()
    .default('')
    .describe(
      'Name of the deployed release, the same in all processes of it: clients are told `restart` when it changes.',
    ),
  MAX_QUEUES_PER_USER: z.coerce
    .number()
    .int()
    .positive()
    .default(100)
    .describe('Most queues of one account; one more ends the one that was not polled for longest.'),
  REGISTRATION_STATES_MIB: z.coerce
    .number()
    .positive()
    .default(128)
    .describe(
      'Memory for states on their way to registering clients; when it is full, others wait, and are refused (503) after 3 s.',
    ),
  EVENT_CACHE_MIB: z.coerce
    .number()
    .positive()
    .default(64)
    .describe('Memory for recent events, from which waiting polls are answered without asking Redis.'),
})
