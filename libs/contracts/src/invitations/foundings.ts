/** Pages by which somebody makes an organization; only where the server lets everybody do so (OPEN_REALM_CREATION). */
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

const ofPages = {
  service: 'invitations',
  access: 'anyone',
  root: 'server',
  doors: 'open',
  answer: 'stream',
  realmless: true,
  reply: {},
} as const

export const showNewRealmPage = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/new',
  summary: 'The page to make an organization, at the root host.',
  params: {},
})

export const askForNewRealm = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/new',
  summary: 'The form that asks for a mail by which an organization is made.',
  params: {
    realm_name: z.string().default(''),
    subdomain: z.string().default(''),
    email: z.string().default(''),
  },
})

export const showFounderPage = endpoint({
  ...ofPages,
  method: 'GET',
  path: '/new/{key}',
  summary: 'The page behind the link in that mail.',
  params: { key: z.string() },
})

export const foundNewRealm = endpoint({
  ...ofPages,
  method: 'POST',
  path: '/new/{key}',
  summary: 'The form that makes the organization and the account of its owner.',
  params: { key: z.string(), full_name: z.string().default(''), password: z.string().default('') },
})
