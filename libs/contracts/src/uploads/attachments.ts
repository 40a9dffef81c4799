import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Attachment } from '../objects/attachment.ts'
import { Id } from '../objects/values.ts'
import { attachmentRemove } from './events.ts'

export const listAttachments = endpoint({
  method: 'GET',
  path: '/attachments',
  service: 'uploads',
  summary: "The caller's uploaded files, latest first.",
  access: 'authenticated',
  params: {},
  reply: { attachments: z.array(Attachment), upload_space_used: z.int() },
})

export const removeAttachment = endpoint({
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  service: 'uploads',
  summary: 'Delete an uploaded file of the caller.',
  access: 'authenticated',
  params: { attachment_id: Id },
  reply: {},
  emits: [attachmentRemove],
})
