import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Timestamp } from '../objects/values.ts'

const logInErrors = [
  'AUTHENTICATION_FAILED',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
  'PASSWORD_AUTH_DISABLED',
  'PASSWORD_RESET_REQUIRED',
] as const

export const logIn = endpoint({
  method: 'POST',
  path: '/login',
  service: 'gateway',
  summary: 'Open a session for a browser: sets a session cookie and the cookie `csrftoken`.',
  access: 'anyone',
  doors: 'session',
  logInName: 'username',
  params: { username: z.string(), password: z.string() },
  reply: { user_id: z.int(), email: z.string() },
  errors: logInErrors,
})

export const logOut = endpoint({
  method: 'POST',
  path: '/logout',
  service: 'gateway',
  summary: 'End the session of this browser.',
  access: 'authenticated',
  doors: 'session',
  params: {},
  reply: {},
})

export const listSessions = endpoint({
  method: 'GET',
  path: '/sessions',
  service: 'gateway',
  summary: "The open sessions of the caller's account, the latest first.",
  access: 'authenticated',
  doors: 'session',
  params: {},
  reply: {
    sessions: z.array(
      z.strictObject({
        id: z.string(),
        is_current: z.boolean(),
        created_at: Timestamp,
        last_seen_at: Timestamp,
        /** Network address and User-Agent at log-in. */
        address: z.string(),
        user_agent: z.string(),
      }),
    ),
  },
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/sessions/{session_id}',
  service: 'gateway',
  summary: "End one of the caller's sessions.",
  access: 'authenticated',
  doors: 'session',
  params: { session_id: z.string() },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
})

export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/sessions',
  service: 'gateway',
  summary: "End all of the caller's sessions but this one.",
  access: 'authenticated',
  doors: 'session',
  params: {},
  reply: {},
})
