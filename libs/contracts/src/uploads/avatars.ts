import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

const common = { service: 'uploads', access: 'authenticated', params: {} } as const

/** Clients are told by identity, whose the accounts are. */
export const setOwnAvatar = endpoint({
  ...common,
  method: 'POST',
  path: '/users/me/avatar',
  summary: "Set the caller's picture: a multipart form with exactly one image.",
  body: 'stream',
  reply: { avatar_url: z.string() },
  errors: ['BAD_IMAGE'],
})

export const deleteOwnAvatar = endpoint({
  ...common,
  method: 'DELETE',
  path: '/users/me/avatar',
  summary: "Take away the caller's picture; without one nothing happens (443).",
  reply: { avatar_url: z.string() },
})

const redirect = {
  method: 'GET',
  root: 'server',
  service: 'uploads',
  access: 'anyone',
  answer: 'stream',
  /** An ID, or (for accounts) an API e-mail. */
  params: { who: z.string() },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
} as const

export const getAvatar = endpoint({
  ...redirect,
  path: '/avatar/{who}',
  summary: "Leads to somebody's picture.",
})

export const getMediumAvatar = endpoint({
  ...redirect,
  path: '/avatar/{who}/medium',
  summary: "Leads to somebody's picture, in its medium size.",
})
