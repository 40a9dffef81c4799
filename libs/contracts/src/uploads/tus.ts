import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { attachmentAdd } from './events.ts'

/**
 * Resumable uploads: the protocol tus 1.0.0 (https://tus.io), with the extensions creation, creation-with-upload,
 * creation-defer-length, expiration, checksum, termination and concatenation. What is finished answers with the same
 * object as `POST /user_uploads`.
 */
const common = { service: 'uploads', doors: 'files', answer: 'stream', reply: {} } as const
const one = { upload_id: z.string() }

export const describeUploads = endpoint({
  ...common,
  method: 'OPTIONS',
  path: '/tus',
  summary: 'What of the protocol of resumable uploads is offered.',
  access: 'anyone',
  params: {},
})

export const describeUpload = endpoint({
  ...common,
  method: 'OPTIONS',
  path: '/tus/{upload_id}',
  summary: 'What of the protocol of resumable uploads is offered.',
  access: 'anyone',
  params: one,
})

export const createUpload = endpoint({
  ...common,
  method: 'POST',
  path: '/tus',
  summary: 'Begin a resumable upload, or put finished parts together.',
  since: 296,
  access: 'authenticated',
  body: 'stream',
  params: {},
  errors: ['PAYLOAD_TOO_LARGE', 'REALM_UPLOAD_QUOTA', 'RESOURCE_NOT_FOUND'],
  emits: [attachmentAdd],
})

export const getUploadOffset = endpoint({
  ...common,
  method: 'HEAD',
  path: '/tus/{upload_id}',
  summary: 'How far a resumable upload came.',
  since: 296,
  access: 'authenticated',
  params: one,
  errors: ['RESOURCE_NOT_FOUND', 'REALM_UPLOAD_QUOTA'],
  emits: [attachmentAdd],
})

export const continueUpload = endpoint({
  ...common,
  method: 'PATCH',
  path: '/tus/{upload_id}',
  summary: 'Send more of a resumable upload.',
  since: 296,
  access: 'authenticated',
  body: 'stream',
  params: one,
  errors: ['PAYLOAD_TOO_LARGE', 'REALM_UPLOAD_QUOTA', 'RESOURCE_NOT_FOUND'],
  emits: [attachmentAdd],
})

export const terminateUpload = endpoint({
  ...common,
  method: 'DELETE',
  path: '/tus/{upload_id}',
  summary: 'Give up a resumable upload.',
  since: 296,
  access: 'authenticated',
  params: one,
  errors: ['RESOURCE_NOT_FOUND'],
})

export const overrideUploadMethod = endpoint({
  ...common,
  method: 'POST',
  path: '/tus/{upload_id}',
  summary:
    'PATCH, HEAD or DELETE for clients that cannot send these: X-HTTP-Method-Override names the method.',
  since: 296,
  access: 'authenticated',
  body: 'stream',
  params: one,
  errors: ['PAYLOAD_TOO_LARGE', 'REALM_UPLOAD_QUOTA', 'RESOURCE_NOT_FOUND'],
  emits: [attachmentAdd],
})
