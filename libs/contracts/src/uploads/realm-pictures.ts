import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** Clients are told by identity, whose the organizations are: `realm/update_dict`. */
const change = { service: 'uploads', access: 'administrator' } as const
const show = {
  method: 'GET',
  service: 'uploads',
  access: 'anyone',
  answer: 'stream',
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
} as const
const night = z.boolean().default(false)

export const setRealmIcon = endpoint({
  ...change,
  method: 'POST',
  path: '/realm/icon',
  summary: "Set the organization's icon: a multipart form with exactly one image.",
  body: 'stream',
  params: {},
  reply: { icon_url: z.string() },
  errors: ['BAD_IMAGE'],
})

export const deleteRealmIcon = endpoint({
  ...change,
  method: 'DELETE',
  path: '/realm/icon',
  summary: "Take away the organization's icon; without one nothing happens.",
  params: {},
  reply: { icon_url: z.string() },
})

export const getRealmIcon = endpoint({
  ...show,
  path: '/realm/icon',
  summary: "Leads to the organization's icon.",
  params: {},
})

/** `night`: the logo for dark surroundings; a field of the form, or in the query. */
export const setRealmLogo = endpoint({
  ...change,
  method: 'POST',
  path: '/realm/logo',
  summary: "Set the organization's logo, by day or by night: a multipart form with exactly one image.",
  body: 'stream',
  params: { night },
  reply: {},
  errors: ['BAD_IMAGE'],
})

export const deleteRealmLogo = endpoint({
  ...change,
  method: 'DELETE',
  path: '/realm/logo',
  summary: "Take away the organization's logo, by day or by night; without one nothing happens.",
  params: { night },
  reply: {},
})

export const getRealmLogo = endpoint({
  ...show,
  path: '/realm/logo',
  summary: "Leads to the organization's logo, by day or by night.",
  params: { night },
})
