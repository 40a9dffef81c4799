import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { invitesChanged } from './events.ts'

const newcomer = { key: z.string(), full_name: z.string(), password: z.string() }

export const showKey = endpoint({
  method: 'GET',
  path: '/join/{key}',
  service: 'invitations',
  summary: 'What the key in an invitation link, or in the mail that confirms an address, is good for.',
  access: 'anyone',
  doors: 'open',
  params: { key: z.string() },
  reply: {
    realm_name: z.string(),
    /** The address that the account will have; null when it has to be confirmed first (`POST /join/confirm`). */
    email: z.string().nullable(),
  },
  errors: ['RESOURCE_NOT_FOUND', 'REALM_DEACTIVATED'],
})

export const confirmAddress = endpoint({
  method: 'POST',
  path: '/join/confirm',
  service: 'invitations',
  summary: 'Have a mail sent that confirms an address, for a reusable link or where everybody may join.',
  access: 'anyone',
  doors: 'open',
  params: { email: z.string(), key: z.string().optional() },
  /** The same whether or not the address has an account: the mail tells its owner. */
  reply: {},
  errors: ['RESOURCE_NOT_FOUND', 'REALM_DEACTIVATED'],
})

export const join = endpoint({
  method: 'POST',
  path: '/join',
  service: 'invitations',
  summary: 'Join the organization with the key of an invitation or a confirmed address; logs a browser in.',
  access: 'anyone',
  doors: 'open',
  opensSession: true,
  params: newcomer,
  reply: { user_id: z.int(), email: z.string() },
  errors: ['RESOURCE_NOT_FOUND', 'REALM_DEACTIVATED'],
  emits: [invitesChanged],
})

const ofPages = {
  service: 'invitations',
  access: 'anyone',
  root: 'server',
  doors: 'open',
  answer: 'stream',
  reply: {},
} as const

export const showJoiningPage = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/join/{key}',
  summary: 'The page behind an invitation link.',
  params: { key: z.string() },
})

export const askForConfirmation = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/accounts/confirm',
  summary: 'The form that asks for a mail that confirms an address.',
  params: { email: z.string().default(''), key: z.string().optional() },
})

export const showRegisterPage = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/accounts/register',
  summary: 'The page to join by where no invitation is needed.',
  params: {},
})

export const register = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/accounts/register',
  summary: 'The form that makes an account; logs the browser in.',
  opensSession: true,
  params: {
    key: z.string().default(''),
    full_name: z.string().default(''),
    password: z.string().default(''),
  },
  emits: [invitesChanged],
})
