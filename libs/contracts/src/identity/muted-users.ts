import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'
import { mutedUsers } from './personal-events.ts'

export const muteUser = endpoint({
  method: 'POST',
  path: '/users/me/muted_users/{muted_user_id}',
  service: 'identity',
  summary: 'Mute somebody: their messages arrive read.',
  access: 'authenticated',
  params: { muted_user_id: Id },
  reply: {},
  emits: [mutedUsers],
})

export const unmuteUser = endpoint({
  method: 'DELETE',
  path: '/users/me/muted_users/{muted_user_id}',
  service: 'identity',
  summary: 'Unmute somebody.',
  access: 'authenticated',
  params: { muted_user_id: Id },
  reply: {},
  emits: [mutedUsers],
})
