import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'
import { attachmentAdd } from './events.ts'

export const uploadFile = endpoint({
  method: 'POST',
  path: '/user_uploads',
  service: 'uploads',
  summary: 'Upload a file: a multipart form with exactly one, under any field name.',
  access: 'authenticated',
  body: 'stream',
  doors: 'files',
  params: {},
  /** `uri` is the deprecated name of `url` (272); `filename` is the stored name (285). */
  reply: { url: z.string(), uri: z.string(), filename: z.string() },
  errors: ['REALM_UPLOAD_QUOTA'],
  emits: [attachmentAdd],
})

const place = { realm_id: Id, path: z.string() }

export const getFileUrl = endpoint({
  method: 'GET',
  path: '/user_uploads/{realm_id}/{path*}',
  service: 'uploads',
  summary: 'An address of an uploaded file that works for a minute, without credentials.',
  access: 'authenticated',
  params: place,
  reply: { url: z.string() },
  errors: ['RESOURCE_NOT_FOUND'],
})

export const getFile = endpoint({
  method: 'GET',
  path: '/user_uploads/{realm_id}/{path*}',
  root: 'server',
  service: 'uploads',
  summary: 'An uploaded file, for whoever may read a message that refers to it.',
  access: 'anyone',
  answer: 'stream',
  params: place,
  reply: {},
  errors: ['ACCESS_DENIED', 'RESOURCE_NOT_FOUND'],
})

export const getTemporaryFile = endpoint({
  method: 'GET',
  path: '/user_uploads/temporary/{token}/{name}',
  root: 'server',
  doors: 'open',
  service: 'uploads',
  summary: 'An uploaded file at an address that works for a minute.',
  access: 'anyone',
  answer: 'stream',
  params: { token: z.string(), name: z.string() },
  reply: {},
  errors: ['ACCESS_DENIED'],
})
