import { limits } from '@parley/contracts'
import { engineSettings } from '@parley/kit'
import { z } from 'zod'

/** Bytes that secrets are derived from. */
const secretKeyBytes = 32

/** A number, or `none`. */
const perWeek = z.union([z.literal('none').transform(() => null), z.coerce.number().int().min(0)])

const days = z.union([z.literal('none').transform(() => null), z.coerce.number().int().min(0)]).nullable()

export const config = z.object({
  ...engineSettings.postgres,
  ...engineSettings.kafka,
  S3_ENDPOINT: z.url().describe('The object store, by the S3 protocol: where exports are kept.'),
  S3_ACCESS_KEY: z.string().min(1).describe('Name of its key.'),
  S3_SECRET_KEY: z.string().min(1).describe('Its secret key.'),
  S3_REGION: z.string().default('us-east-1').describe('Its region.'),
  S3_BUCKET: z.string().min(1).describe('The bucket, which has to exist; the same as of uploads.'),
  EXPORTS_PER_WEEK: perWeek
    .optional()
    .describe(
      `Exports that an organization may ask for within a week, or \`none\` for any number; ${limits.exportsPerWeek} in production, any number in development.`,
    ),
  EXPORT_LINK_HOURS: z.coerce
    .number()
    .positive()
    .default(24)
    .describe('How long an address works by which an export is downloaded.'),
  SECRET_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length === secretKeyBytes, {
      message: `is not ${secretKeyBytes} bytes in base64`,
    })
    .describe(
      'What API keys are hashed and encrypted under: base64 of 32 random bytes. With another one no key works.',
    ),
  LDAP_URL: z
    .union([z.literal(''), z.url({ protocol: /^ldaps?$/ })])
    .default('')
    .describe('Directory by whose passwords people log in, ldaps:// or ldap://; empty: none.'),
  LDAP_START_TLS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether a connection by ldap:// is made secret before anything is said on it.'),
  LDAP_CA_FILE: z
    .string()
    .default('')
    .describe("File with the certificates (PEM) that vouch for the directory; empty: the system's."),
  LDAP_BIND_DN: z
    .string()
    .default('')
    .describe('Who looks people up in the directory; empty: nobody has to.'),
  LDAP_BIND_PASSWORD: z.string().default('').describe('The password of LDAP_BIND_DN.'),
  LDAP_USER_DN: z
    .string()
    .default('')
    .describe(
      "Name of a person's entry with {user} for what they typed, where it follows from that; empty: they are looked up.",
    ),
  LDAP_BASE: z.string().default('').describe('Below which entry people are looked up.'),
  LDAP_NAME_ATTRIBUTE: z.string().default('uid').describe('Attribute that holds the name to log in by.'),
  LDAP_EMAIL_ATTRIBUTE: z.string().default('mail').describe('Attribute that holds the e-mail address.'),
  LDAP_FULL_NAME_ATTRIBUTE: z.string().default('cn').describe('Attribute that holds the full name.'),
  LDAP_ACTIVE_FILTER: z
    .string()
    .default('(objectClass=*)')
    .describe('Filter that the entries of those fit who may log in.'),
  GIPHY_API_KEY: z
    .string()
    .default('')
    .describe('Public key by which clients ask GIPHY for animated pictures; empty: they offer none.'),
  TENOR_API_KEY: z
    .string()
    .default('')
    .describe('Public key by which clients ask Tenor for animated pictures; empty: they offer none.'),
  BIG_BLUE_BUTTON_URL: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe('Address of a BigBlueButton server for video calls, without `api/`; empty: there is none.'),
  BIG_BLUE_BUTTON_SECRET: z
    .string()
    .default('')
    .describe('The secret that the BigBlueButton server shares with its clients.'),
  PASSWORD_WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe(
      'How many passwords are checked at once (19 MiB and one thread of the pool each); others wait.',
    ),
  ACCOUNT_TEXTS_MIB: z.coerce
    .number()
    .positive()
    .default(128)
    .describe(
      'Memory for lists of accounts as the state of registrations shows them, some 1 KiB per account and way of seeing it: their rows need not be read again.',
    ),
  MIN_DEACTIVATED_REALM_DELETION_DAYS: days
    .default(limits.minRealmDeletionDays)
    .describe('Days for which the data of a deactivated organization is kept at least; `none` for no bound.'),
  MAX_DEACTIVATED_REALM_DELETION_DAYS: days
    .default(null)
    .describe('Days for which the data of a deactivated organization is kept at most; `none` for no bound.'),
})
