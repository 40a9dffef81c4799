import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
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
