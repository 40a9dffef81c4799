import { limits } from '@parley/contracts'
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
  INVITATIONS_PER_DAY: z.coerce
    .number()
    .int()
    .positive()
    .default(limits.invitationsPerDay)
    .describe('Most invitations that one organization may send by e-mail within 24 hours.'),
  OPEN_REALM_CREATION: z
    .enum(['on', 'off'])
    .transform((value) => value === 'on')
    .optional()
    .describe('Whether everybody may make an organization at /new/; off unless in development.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'is not an address such as smtp://user:password@host:587')
    .optional()
    .describe(
      'The mail server: smtp://user:password@host:587 or smtps://...; unset, production sends none, and development keeps mail to be looked at.',
    ),
  MAIL_FROM: z
    .string()
    .optional()
    .describe('Sender of mail: "Parley <chat@example.org>"; noreply at the host of PUBLIC_URL when unset.'),
})
