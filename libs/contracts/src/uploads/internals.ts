import { z } from 'zod'
import { internal } from '../internal.ts'
import { Attachment } from '../objects/attachment.ts'
import { EmojiFact } from './topics.ts'

/** All custom emoji of an organization, for services whose copy does not hold one yet. */
export const findEmoji = internal({
  service: 'uploads',
  name: 'find-emoji',
  callers: ['presence', 'channels'],
  input: z.object({ realm_id: z.int() }),
  output: z.object({ emoji: z.array(EmojiFact) }),
})

/**
 * Of files that a message named until now, those of their uploader that no other message refers to: what the uploader may
 * want to delete.
 */
export const detachedFiles = internal({
  service: 'uploads',
  name: 'detached-files',
  callers: ['channels'],
  input: z.object({
    realm_id: z.int(),
    user_id: z.int(),
    message_id: z.int(),
    path_ids: z.array(z.string()).max(1000),
  }),
  output: z.object({ attachments: z.array(Attachment) }),
})
