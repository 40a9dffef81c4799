import { engineSettings } from '@parley/kit'
import { z } from 'zod'

/** Bytes that keys of links are derived from. */
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
      'What the keys in invitation links are derived from: base64 of 32 random bytes. With another one no link works.',
    ),
  INVITATION_LINK_VALIDITY_MINUTES: z.coerce
    .number()
    .int()
    .positive()
    .default(14_400)
    .describe('How long an invitation is valid when its maker does not say, in minutes.'),
})
