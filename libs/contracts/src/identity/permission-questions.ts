import { z } from 'zod'
import { internal } from '../internal.ts'
import { realmPermissionNames } from './permission-settings.ts'
import { GroupFact } from './topics.ts'

/** What an account may do by the organization's permission settings, and which groups it is in, however deep. */
export const permissionsOfUser = internal({
  service: 'identity',
  name: 'permissions-of-user',
  callers: ['channels', 'presence', 'invitations', 'uploads', 'webhook-dispatcher'],
  input: z.object({ realm_id: z.int(), user_id: z.int() }),
  output: z.object({
    /** Names of the permission settings (permission-settings.ts) that include the account. */
    allowed: z.array(z.enum(realmPermissionNames)),
    group_ids: z.array(z.int()),
  }),
})

/** Groups by ID or name (in any case), for services whose copy does not hold them yet; those of the organization. */
export const findGroups = internal({
  service: 'identity',
  name: 'find-groups',
  callers: ['channels'],
  input: z.object({
    realm_id: z.int(),
    ids: z.array(z.int()).max(10_000),
    names: z.array(z.string()).max(10_000).optional(),
  }),
  output: z.object({ groups: z.array(GroupFact) }),
})
