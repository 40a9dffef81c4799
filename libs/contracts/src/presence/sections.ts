import { z } from 'zod'
import { Presences } from '../objects/presence.ts'
import { UserStatus } from '../objects/user-status.ts'
import { section } from '../section.ts'

export const presenceSection = section({
  service: 'presence',
  name: 'presence',
  fields: {
    presences: Presences,
    presence_last_update_id: z.int(),
    server_timestamp: z.number(),
  },
  // Not from the database, so no snapshot says what the state contains. The events may say it again: they are idempotent.
  covers: [],
})

export const userStatusSection = section({
  service: 'presence',
  name: 'user_status',
  fields: { user_status: z.record(z.string(), UserStatus) },
})

/** How often clients tell of themselves, and for how long others believe it. Clients look for it beside the settings. */
export const livelinessSection = section({
  service: 'presence',
  name: 'realm',
  fields: {
    server_presence_ping_interval_seconds: z.int(),
    server_presence_offline_threshold_seconds: z.int(),
    server_typing_started_wait_period_milliseconds: z.int(),
    server_typing_stopped_wait_period_milliseconds: z.int(),
    server_typing_started_expiry_period_milliseconds: z.int(),
  },
  covers: [],
})
