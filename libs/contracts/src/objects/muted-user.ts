import { z } from 'zod'
import { Timestamp } from './values.ts'

/** Somebody whose messages the caller does not want to be told of. */
export const MutedUser = z.strictObject({ id: z.int(), timestamp: Timestamp })
export type MutedUser = z.infer<typeof MutedUser>
