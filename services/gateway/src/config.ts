import { limits } from '@parley/contracts'
import { engineSettings, flag } from '@parley/kit'
import { z } from 'zod'
import { networksSetting } from './callers/client-address.ts'
import { rulesSetting } from './limits/rules.ts'

export const config = z.object({
  ...engineSettings.kafka,
  ...engineSettings.redis,
  TRUSTED_PROXIES: networksSetting
    .prefault('')
    .describe('Networks of the proxies in front, whose X-Forwarded-For is believed: 10.0.0.0/8,fd00::/8.'),
  RATE_LIMITS: flag.optional().describe('Whether calls are limited; on in production, off in development.'),
  RATE_LIMIT_USERS: rulesSetting
    .prefault(`${limits.authenticatedCallsPerMinute}/60`)
    .describe('Calls of one account: count/seconds, several rules with commas.'),
  RATE_LIMIT_POLLS: rulesSetting
    .prefault(`${limits.pollsPerMinute}/60`)
    .describe('Long-polls of one account, which do not count as calls.'),
  RATE_LIMIT_ANONYMOUS: rulesSetting
    .prefault(`${limits.anonymousCallsPerMinute}/60`)
    .describe('Calls without an account (or with bad credentials) from one address.'),
  RATE_LIMIT_LOG_INS: rulesSetting
    .prefault(`${limits.failedLoginsPerHalfHour}/1800`)
    .describe('Failed log-ins of one user name.'),
  SESSION_DAYS: z.coerce
    .number()
    .positive()
    .default(14)
    .describe('After how many days without use a browser session ends.'),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').map((origin) => origin.trim().replace(/\/$/, '')))
    .transform((origins) => new Set(origins.filter((origin) => origin !== '')))
    .describe('Origins whose scripts may call the interface from a browser: https://app.example.org,...'),
  MAX_REQUESTS_PER_SERVICE: z.coerce
    .number()
    .int()
    .positive()
    .default(1000)
    .describe('Requests that may wait for one service at a time, per gateway; further ones get 503.'),
  MAX_POLLS: z.coerce
    .number()
    .int()
    .positive()
    .default(20_000)
    .describe('Long-polls that may wait at a time, per gateway.'),
  MAX_BODY_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(32 * 1024 * 1024)
    .describe('Largest body of a request, in bytes; larger ones are answered with 413.'),
  MAX_FILE_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(5 * 1024 * 1024 * 1024)
    .describe(
      'Largest body where files are sent, in bytes; what a file may weigh is decided behind the gateway.',
    ),
  ANSWER_SECONDS: z.coerce
    .number()
    .positive()
    .default(30)
    .describe('How long a service may take until its answer begins (long-polls have their own time).'),
})
