import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { SavedSnippet } from '../objects/saved-snippet.ts'
import { codePoints, Id } from '../objects/values.ts'
import { savedSnippetsAdd, savedSnippetsRemove, savedSnippetsUpdate } from './events.ts'

/** Without space around it; `what` is how the sentence of a refusal begins. */
const text = (what: string, limit: number) =>
  z
    .string()
    .transform((sent) => sent.trim())
    .refine((trimmed) => trimmed !== '', { message: `${what} cannot be empty.` })
    .refine((trimmed) => codePoints(trimmed) <= limit, {
      message: `${what.toLowerCase()} is too long (limit: ${limit} characters)`,
    })

const Title = text('Title', limits.maxSavedSnippetTitleLength)
const Content = text('Content', limits.maxMessageLength)

export const listSavedSnippets = endpoint({
  method: 'GET',
  path: '/saved_snippets',
  service: 'channels',
  summary: 'The texts that the caller keeps for use in messages.',
  since: 297,
  access: 'authenticated',
  params: {},
  reply: { saved_snippets: z.array(SavedSnippet) },
})

export const createSavedSnippet = endpoint({
  method: 'POST',
  path: '/saved_snippets',
  service: 'channels',
  summary: 'Keep a text for use in messages.',
  since: 297,
  access: 'authenticated',
  params: { title: Title, content: Content },
  reply: { saved_snippet_id: z.int() },
  emits: [savedSnippetsAdd],
})

export const updateSavedSnippet = endpoint({
  method: 'PATCH',
  path: '/saved_snippets/{saved_snippet_id}',
  service: 'channels',
  summary: 'Change a kept text.',
  since: 368,
  access: 'authenticated',
  params: { saved_snippet_id: Id, title: Title.optional(), content: Content.optional() },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [savedSnippetsUpdate],
})

export const deleteSavedSnippet = endpoint({
  method: 'DELETE',
  path: '/saved_snippets/{saved_snippet_id}',
  service: 'channels',
  summary: 'Throw a kept text away.',
  since: 297,
  access: 'authenticated',
  params: { saved_snippet_id: Id },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [savedSnippetsRemove],
})
