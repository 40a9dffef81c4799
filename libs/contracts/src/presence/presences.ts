import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { LegacyPresence, ModernPresence, Presences } from '../objects/presence.ts'
import { presenceChanged } from './events.ts'

export const getRealmPresence = endpoint({
  method: 'GET',
  path: '/realm/presence',
  service: 'presence',
  summary: 'Who of the organization was there in the last two weeks, and when.',
  access: 'authenticated',
  params: {},
  reply: { server_timestamp: z.number(), presences: z.record(z.string(), LegacyPresence) },
})

export const getUserPresence = endpoint({
  method: 'GET',
  path: '/users/{user_id_or_email}/presence',
  service: 'presence',
  summary: 'When one account was last there.',
  access: 'authenticated',
  params: { user_id_or_email: z.string() },
  reply: {
    // Legacy keys first: some clients stop reading after them. A time that is not known is absent.
    presence: z.strictObject({ ...LegacyPresence.shape, ...ModernPresence.partial().shape }),
    server_timestamp: z.number(),
  },
})

export const updateOwnPresence = endpoint({
  method: 'POST',
  path: '/users/me/presence',
  service: 'presence',
  summary: 'Tell that the caller is there, and learn who else is.',
  access: 'authenticated',
  params: {
    status: z.string(),
    /** What the last answer named: only what changed since comes back, in the modern form. */
    last_update_id: z.int().optional(),
    /** How far back a first answer goes; 0: nobody. */
    history_limit_days: z.int().nonnegative().default(14),
    /** Whether the caller did something since the last time; for servers that keep statistics of that. */
    new_user_input: z.boolean().default(false),
    ping_only: z.boolean().default(false),
    slim_presence: z.boolean().default(false),
  },
  reply: {
    presence_last_update_id: z.int(),
    server_timestamp: z.number().optional(),
    presences: Presences.optional(),
  },
  emits: [presenceChanged],
})
