import { z } from 'zod'
import { Role } from '../caller.ts'
import { Id, Timestamp } from './values.ts'

/** An open invitation: to one address (`email`), or a link for anybody who has it (`link_url`). */
export const Invitation = z.strictObject({
  id: Id,
  invited_by_user_id: Id,
  invited: Timestamp,
  /** Null when it never expires. */
  expiry_date: Timestamp.nullable(),
  invited_as: Role,
  is_multiuse: z.boolean(),
  notify_referrer_on_join: z.boolean(),
  email: z.string().optional(),
  link_url: z.string().optional(),
})
export type Invitation = z.infer<typeof Invitation>
