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

/** What is known of a file, for whoever renders a text that shows it. */
const FileInfo = z.object({
  path_id: z.string(),
  content_type: z.string(),
  /** Of the picture, in pixels; absent for what is none. */
  width: z.int().exactOptional(),
  height: z.int().exactOptional(),
  /** Where a small form of the picture is found; absent for what is no picture that is drawn anew. */
  thumbnail: z.object({ url: z.string(), animated: z.boolean().exactOptional() }).exactOptional(),
})

/** Those of some files that an account may have. What says that it is a picture, and is none, is left out. */
export const fileInfos = internal({
  service: 'uploads',
  name: 'file-infos',
  callers: ['channels'],
  input: z.object({ realm_id: z.int(), user_id: z.int(), path_ids: z.array(z.string()).max(50) }),
  output: z.object({ files: z.array(FileInfo) }),
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
