import { refuse } from '@parley/contracts'
import type { Attachment } from '@parley/contracts/objects/attachment'
import { attachmentAdd } from '@parley/contracts/uploads/events'
import type { Tx } from '@parley/kit'
import { takeInObject } from '../objects/loose-store.ts'
import { type FileRow, insertFile, type NewFile } from './file-store.ts'
import { objectKey } from './name-rules.ts'
import { addSpaceUsed } from './usage-store.ts'

const mib = 1024 * 1024

export const quotaExceeded = () =>
  refuse('REALM_UPLOAD_QUOTA', "Upload would exceed your organization's upload quota.")

/** A file as its uploader is told of it. */
export const shownFile = (file: FileRow, messageIds: readonly number[]): Attachment => ({
  id: file.id,
  name: file.name,
  path_id: file.path_id,
  size: file.size,
  create_time: file.create_time,
  message_ids: [...messageIds],
})

/**
 * Takes in a file whose bytes are in the store, and tells its uploader.
 *
 * @throws ApiError REALM_UPLOAD_QUOTA when the organization has no space for it.
 */
export const addFile = async (
  tx: Tx<typeof attachmentAdd>,
  file: NewFile,
  quotaMib: number | null,
): Promise<FileRow> => {
  const made = await insertFile(tx.sql, file)
  await takeInObject(tx.sql, objectKey(file.path_id))
  const upload_space_used = await addSpaceUsed(tx.sql, file.realm_id, file.size)
  if (quotaMib !== null && upload_space_used > quotaMib * mib) throw quotaExceeded()
  const audience = { realm: file.realm_id, users: [file.owner_id] }
  tx.emit(attachmentAdd, audience, { attachment: shownFile(made, []), upload_space_used })
  return made
}
