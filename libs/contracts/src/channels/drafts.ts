import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Draft } from '../objects/draft.ts'
import { Id } from '../objects/values.ts'
import { draftsAdd, draftsRemove, draftsUpdate } from './events.ts'

const SentDraft = z.object({
  type: Draft.shape.type,
  to: z.array(z.int()).max(limits.maxDirectRecipients),
  topic: z.string(),
  content: z.string(),
  /** Seconds, of which some clients send fractions. */
  timestamp: z.number().min(0).max(limits.maxTimestamp).optional(),
})

export const listDrafts = endpoint({
  method: 'GET',
  path: '/drafts',
  service: 'channels',
  summary: 'The drafts of the caller, newest edit first.',
  access: 'authenticated',
  params: {},
  reply: { count: z.int(), drafts: z.array(Draft) },
})

export const createDrafts = endpoint({
  method: 'POST',
  path: '/drafts',
  service: 'channels',
  summary: 'Keep drafts; all of them or none.',
  access: 'authenticated',
  params: { drafts: z.array(SentDraft).max(limits.maxDrafts).default([]) },
  /** In the order of submission. */
  reply: { ids: z.array(z.int()) },
  emits: [draftsAdd],
})

export const updateDraft = endpoint({
  method: 'PATCH',
  path: '/drafts/{draft_id}',
  service: 'channels',
  summary: 'Replace a draft.',
  access: 'authenticated',
  params: { draft_id: Id, draft: SentDraft },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [draftsUpdate],
})

export const deleteDraft = endpoint({
  method: 'DELETE',
  path: '/drafts/{draft_id}',
  service: 'channels',
  summary: 'Throw a draft away.',
  access: 'authenticated',
  params: { draft_id: Id },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [draftsRemove],
})
