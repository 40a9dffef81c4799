import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Linkifier } from '../objects/linkifier.ts'
import { Id } from '../objects/values.ts'
import { realmLinkifiers, realmPlaygrounds } from './linkifier-events.ts'

export const listLinkifiers = endpoint({
  method: 'GET',
  path: '/realm/linkifiers',
  service: 'identity',
  summary: "The organization's linkifiers, in the order in which they are tried.",
  access: 'authenticated',
  params: {},
  reply: { linkifiers: z.array(Linkifier) },
})

const administrators = {
  service: 'identity',
  access: 'administrator',
  errors: ['UNAUTHORIZED_PRINCIPAL'],
} as const

export const reorderLinkifiers = endpoint({
  ...administrators,
  method: 'PATCH',
  path: '/realm/linkifiers',
  summary: 'Put the linkifiers into another order: all of them are named.',
  params: { ordered_linkifier_ids: z.array(z.int()) },
  reply: {},
  emits: [realmLinkifiers],
})

/** An empty text stands for none (level 471). */
const optional = {
  example_input: z.string().max(limits.maxLinkifierTextLength).optional(),
  reverse_template: z.string().max(limits.maxLinkifierTextLength).optional(),
  alternative_url_templates: z
    .array(z.string().max(limits.maxLinkifierTextLength))
    .max(limits.maxAlternativeTemplates)
    .optional(),
}

export const addLinkifier = endpoint({
  ...administrators,
  method: 'POST',
  path: '/realm/filters',
  summary: 'Add a linkifier, after the others.',
  params: {
    pattern: z.string().max(limits.maxLinkifierTextLength),
    url_template: z.string().max(limits.maxLinkifierTextLength),
    ...optional,
  },
  reply: { id: z.int() },
  emits: [realmLinkifiers],
})

export const updateLinkifier = endpoint({
  ...administrators,
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  summary: 'Change a linkifier.',
  params: {
    filter_id: Id,
    pattern: z.string().max(limits.maxLinkifierTextLength).optional(),
    url_template: z.string().max(limits.maxLinkifierTextLength).optional(),
    ...optional,
  },
  reply: {},
  emits: [realmLinkifiers],
})

export const removeLinkifier = endpoint({
  ...administrators,
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  summary: 'Remove a linkifier.',
  params: { filter_id: Id },
  reply: {},
  emits: [realmLinkifiers],
})

export const addPlayground = endpoint({
  ...administrators,
  method: 'POST',
  path: '/realm/playgrounds',
  summary: 'Say where code of one language can be tried out.',
  params: { name: z.string(), pygments_language: z.string(), url_template: z.string() },
  reply: { id: z.int() },
  emits: [realmPlaygrounds],
})

export const removePlayground = endpoint({
  ...administrators,
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  summary: 'Remove a playground.',
  params: { playground_id: Id },
  reply: {},
  emits: [realmPlaygrounds],
})
