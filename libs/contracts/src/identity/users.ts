import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { ProfileData, User } from '../objects/user.ts'
import { Id } from '../objects/values.ts'

/** System bots, which belong to no organization, say so. */
const SeenUser = User.extend({ is_system_bot: z.boolean().optional() })

const presentation = {
  client_gravatar: z.boolean().default(true),
  include_custom_profile_fields: z.boolean().default(false),
}

export const listUsers = endpoint({
  method: 'GET',
  path: '/users',
  service: 'identity',
  summary: 'All accounts of the organization that the caller can access, deactivated ones included.',
  access: 'spectator',
  params: { ...presentation, user_ids: z.array(z.int()).optional() },
  reply: { members: z.array(User) },
})

export const getUser = endpoint({
  method: 'GET',
  path: '/users/{user_id}',
  service: 'identity',
  summary: 'One account, by its ID.',
  access: 'authenticated',
  params: { user_id: Id, ...presentation },
  reply: { user: SeenUser },
})

export const getUserByEmail = endpoint({
  method: 'GET',
  path: '/users/{email}',
  service: 'identity',
  summary:
    'One account, by the e-mail address that the caller may see, or by user<id>@<host of the organization>.',
  access: 'authenticated',
  params: { email: z.string(), ...presentation },
  reply: { user: SeenUser },
})

export const getOwnUser = endpoint({
  method: 'GET',
  path: '/users/me',
  service: 'identity',
  summary: "The caller's own account.",
  access: 'authenticated',
  params: {},
  reply: {
    ...User.shape,
    profile_data: ProfileData.optional(),
    max_message_id: z.int(),
  },
})
