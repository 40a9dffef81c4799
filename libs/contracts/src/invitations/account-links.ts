import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

const ofPages = {
  service: 'invitations',
  access: 'anyone',
  root: 'server',
  doors: 'open',
  answer: 'stream',
  reply: {},
} as const

export const showNewAddress = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/accounts/confirm_new_email/{key}',
  summary: 'The page behind the link that confirms a new address of an account.',
  params: { key: z.string() },
})

export const confirmNewAddress = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/accounts/confirm_new_email',
  summary: 'The form that gives an account its new address.',
  params: { key: z.string().default('') },
})

export const showPasswordReset = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/accounts/password/reset',
  summary: 'The page to ask for a link by which a password is set.',
  params: {},
})

export const askForPasswordReset = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/accounts/password/reset',
  summary: 'The form that asks for that link; it answers the same whether or not there is such an account.',
  params: { email: z.string().default('') },
})

export const showNewPassword = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/accounts/password/reset/{key}',
  summary: 'The page behind that link.',
  params: { key: z.string() },
})

export const setNewPassword = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/accounts/password/change',
  summary: 'The form that sets a password.',
  params: { key: z.string().default(''), password: z.string().default('') },
})
