import { z } from 'zod'
import { event } from '../event.ts'
import { Attachment } from '../objects/attachment.ts'

/** Bytes of all files of the organization. */
const upload_space_used = z.int()

/** A file was uploaded; its uploader is told. */
export const attachmentAdd = event({
  type: 'attachment',
  op: 'add',
  fields: { attachment: Attachment, upload_space_used },
})

export const attachmentRemove = event({
  type: 'attachment',
  op: 'remove',
  fields: { attachment: z.strictObject({ id: z.int() }), upload_space_used },
})

/** Other messages refer to a file than before. */
export const attachmentUpdate = event({
  type: 'attachment',
  op: 'update',
  fields: { attachment: Attachment, upload_space_used },
})

export * from './emoji-events.ts'
