import { z } from 'zod'
import { Role } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import { ProfileValue } from '../objects/profile-field.ts'
import { Id } from '../objects/values.ts'
import { activationEvents } from './activation-events.ts'
import { deviceUpdate } from './device-events.ts'
import { realmExportConsent, realmUserAdd, realmUserUpdate, userGroupAddMembers } from './events.ts'
import { roleEvents } from './role-events.ts'

export const addUser = endpoint({
  method: 'POST',
  path: '/users',
  service: 'identity',
  summary: 'Create an account; for administrators whom an operator gave the permission can_create_users.',
  access: 'administrator',
  params: { email: z.string(), password: z.string(), full_name: z.string() },
  reply: { user_id: z.int() },
  emits: [realmUserAdd, realmUserUpdate, realmExportConsent, userGroupAddMembers],
})

const changes = {
  full_name: z.string().optional(),
  /** Owners only, to give or take the owner role. */
  role: Role.optional(),
  /** Owners whom an operator gave the permission can_change_user_emails. */
  new_email: z.string().optional(),
  profile_data: z.array(ProfileValue).optional(),
}

export const updateUser = endpoint({
  method: 'PATCH',
  path: '/users/{user_id}',
  service: 'identity',
  summary: 'Change an account.',
  access: 'administrator',
  params: { user_id: Id, ...changes },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: roleEvents,
})

export const updateUserByEmail = endpoint({
  method: 'PATCH',
  path: '/users/{email}',
  service: 'identity',
  summary: 'Change an account, named by its e-mail address.',
  since: 313,
  access: 'administrator',
  params: { email: z.string(), ...changes },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: roleEvents,
})

export const endUser = endpoint({
  method: 'DELETE',
  path: '/users/{user_id}',
  service: 'identity',
  summary: 'Deactivate an account and the bots that it owns.',
  access: 'administrator',
  params: {
    user_id: Id,
    /**
     * `delete_profile`: remove the name, the addresses, the picture and the rest of the profile for good (level 459).
     * The others: delete what the account wrote, for everybody.
     */
    actions: z
      .strictObject({
        delete_profile: z.boolean().default(false),
        delete_public_channel_messages: z.boolean().default(false),
        delete_private_channel_messages: z.boolean().default(false),
        delete_direct_messages: z.boolean().default(false),
      })
      .optional(),
    /** Mailed to the account's owner; when given, even if empty, a mail says that the account was ended. */
    deactivation_notification_comment: z.string().optional(),
  },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL', 'CANNOT_DEACTIVATE_LAST_USER'],
  emits: activationEvents,
})

export const reactivateUser = endpoint({
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  service: 'identity',
  summary: 'Bring a deactivated account back.',
  access: 'administrator',
  params: { user_id: Id },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [...activationEvents, realmExportConsent],
})

export const endOwnUser = endpoint({
  method: 'DELETE',
  path: '/users/me',
  service: 'identity',
  summary: "Deactivate the caller's own account and the bots that it owns.",
  access: 'human',
  params: {},
  reply: {},
  errors: ['CANNOT_DEACTIVATE_LAST_USER'],
  emits: activationEvents,
})

export const regenerateOwnApiKey = endpoint({
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  service: 'identity',
  summary: "Replace the caller's own API key; the old one ends everywhere within a second.",
  access: 'human',
  params: {},
  reply: { api_key: z.string() },
  emits: [deviceUpdate],
})
