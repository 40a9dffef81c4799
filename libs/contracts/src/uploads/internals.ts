import { z } from 'zod'
import { internal, internalBytes } from '../internal.ts'
import { Attachment } from '../objects/attachment.ts'
import { StoredAvatar } from '../objects/avatar.ts'
import { EmojiFact } from './topics.ts'

/** All custom emoji of an organization, for services whose copy does not hold one yet. */
export const findEmoji = internal({
  service: 'uploads',
  name: 'find-emoji',
  callers: ['presence', 'channels'],
  input: z.object({ realm_id: z.int() }),
  output: z.object({ emoji: z.array(EmojiFact) }),
})

/** Draws a picture as avatars are, and stores it; within ten minutes it is shown (`show-avatar`), or it is deleted. */
export const prepareAvatar = internalBytes({
  service: 'uploads',
  name: 'prepare-avatar',
  callers: ['identity'],
  input: z.object({ bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array) }),
  output: StoredAvatar,
  errors: ['BAD_IMAGE'],
  // Pictures wait for each other.
  seconds: 30,
})

/**
 * Shows a prepared picture as an account's, right before the transaction commits by which it has one: whoever hears of the
 * new version finds the picture. What is shown so is doubted; some minutes later identity is asked (`find-users`) whether
 * the account has uploaded a picture, and if not, it is shown no more. Asked again for another account, the picture moves.
 */
export const showAvatar = internal({
  service: 'uploads',
  name: 'show-avatar',
  callers: ['identity'],
  input: z.object({ realm_id: z.int(), user_id: z.int(), picture: StoredAvatar }),
  output: z.object({}),
  // Accounts of the organization wait meanwhile.
  seconds: 5,
})

/**
 * An account is about to have no uploaded picture any more: some minutes later identity is asked whether that became true,
 * and the picture goes then.
 */
export const doubtAvatar = internal({
  service: 'uploads',
  name: 'doubt-avatar',
  callers: ['identity'],
  input: z.object({ realm_id: z.int(), user_id: z.int() }),
  output: z.object({}),
  seconds: 5,
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

/**
 * Makes the claims on files those of what a message says now, before its news comes: whoever is told of the message may
 * have its files.
 */
export const claimFiles = internal({
  service: 'uploads',
  name: 'claim-files',
  callers: ['channels'],
  input: z.object({ realm_id: z.int(), message_id: z.int() }),
  output: z.object({}),
  seconds: 3,
})
