import { engineSettings } from '@parley/kit'
import { z } from 'zod'

/** Bytes that secrets are derived from. */
const secretKeyBytes = 32

export const config = z.object({
  ...engineSettings.postgres,
  ...engineSettings.kafka,
  SECRET_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length === secretKeyBytes, {
      message: `is not ${secretKeyBytes} bytes in base64`,
    })
    .describe(
      'What API keys are hashed and encrypted under: base64 of 32 random bytes. With another one no key works.',
    ),
  GIPHY_API_KEY: z
    .string()
    .default('')
    .describe('Public key by which clients ask GIPHY for animated pictures; empty: they offer none.'),
  TENOR_API_KEY: z
    .string()
    .default('')
    .describe('Public key by which clients ask Tenor for animated pictures; empty: they offer none.'),
  PASSWORD_WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe(
      'How many passwords are checked at once (19 MiB and one thread of the pool each); others wait.',
    ),
})
