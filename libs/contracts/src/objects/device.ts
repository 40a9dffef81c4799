import { z } from 'zod'
import { Timestamp } from './values.ts'

/** A logged-in device, and how it is told of messages while it sleeps. */
export const Device = z.strictObject({
  /** Names the key that notifications are encrypted with. */
  push_key_id: z.int().nullable(),
  /** Base64; names the address that the platform gave to the device and that its push service confirmed. */
  push_token_id: z.string().nullable(),
  /** The same, not confirmed yet. */
  pending_push_token_id: z.string().nullable(),
  /** When the pending address was last set. */
  push_token_last_updated_timestamp: Timestamp.nullable(),
  push_registration_error_code: z.string().nullable().optional(),
})
export type Device = z.infer<typeof Device>
