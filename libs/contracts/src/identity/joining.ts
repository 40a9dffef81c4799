import { z } from 'zod'
import { Role } from '../caller.ts'
import { internal } from '../internal.ts'
import { realmPermissionNames } from './permission-settings.ts'

/** What an account may give to those whom it invites, and who is told of invitations, all in one moment. */
export const invitingStanding = internal({
  service: 'identity',
  name: 'inviting-standing',
  callers: ['invitations'],
  input: z.object({
    realm_id: z.int(),
    user_id: z.int(),
    /** User groups that newcomers shall be in. */
    group_ids: z.array(z.int()).max(10_000).default([]),
  }),
  output: z.object({
    realm_is_active: z.boolean(),
    /** Null for an account that is not there, or not active. */
    account: z
      .object({
        role: Role,
        full_name: z.string(),
        delivery_email: z.string(),
        /** Names of the permission settings that include it. */
        allowed: z.array(z.enum(realmPermissionNames)),
      })
      .nullable(),
    /** Of the groups asked for, those to which the account may not add others, with the sentence that says so. */
    refused_groups: z.array(z.object({ id: z.int(), reason: z.string() })),
    /** Active administrators and owners. */
    administrator_ids: z.array(z.int()),
  }),
})

/**
 * Whether somebody could have this account, before anything is promised: address free, name, password strong enough. The
 * password comes back in the form in which it is stored, so that nobody else keeps it.
 */
export const judgeNewcomer = internal({
  service: 'identity',
  name: 'judge-newcomer',
  callers: ['invitations'],
  input: z.object({ realm_id: z.int(), email: z.string(), full_name: z.string(), password: z.string() }),
  output: z.object({ password_hash: z.string() }),
  errors: ['BAD_REQUEST', 'REALM_DEACTIVATED'],
})

/** Makes the account of somebody who joins, once per name, and puts it into user groups. */
export const createNewcomer = internal({
  service: 'identity',
  name: 'create-newcomer',
  callers: ['invitations'],
  input: z.object({
    name: z.uuid(),
    realm_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    role: Role,
    password_hash: z.string(),
    group_ids: z.array(z.int()).max(10_000),
    /** What the welcome says besides; null for what the organization says to everybody, empty for nothing. */
    welcome_message_custom_text: z.string().nullable(),
  }),
  output: z.object({ user_id: z.int() }),
  errors: ['BAD_REQUEST', 'REALM_DEACTIVATED'],
})
