import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { UserStatus } from '../objects/user-status.ts'
import { Id } from '../objects/values.ts'
import { userStatusChanged } from './events.ts'

/** Absent: stays as it is. Empty: cleared. */
const changes = {
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z.string().optional(),
}

export const getUserStatus = endpoint({
  method: 'GET',
  path: '/users/{user_id}/status',
  service: 'presence',
  summary: 'What an account tells the others of itself.',
  access: 'authenticated',
  params: { user_id: Id },
  reply: { status: UserStatus },
})

export const updateOwnStatus = endpoint({
  method: 'POST',
  path: '/users/me/status',
  service: 'presence',
  summary: "Change the caller's status.",
  access: 'authenticated',
  params: {
    ...changes,
    /** Legacy: whether the caller's presence is hidden. */
    away: z.boolean().optional(),
  },
  reply: {},
  emits: [userStatusChanged],
})

export const updateUserStatus = endpoint({
  method: 'POST',
  path: '/users/{user_id}/status',
  service: 'presence',
  summary: "Change another account's status.",
  since: 407,
  access: 'administrator',
  params: { user_id: Id, ...changes },
  reply: {},
  emits: [userStatusChanged],
})
