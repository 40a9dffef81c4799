import { attachmentUpdate } from '@parley/contracts/uploads/events'
import type { Tx } from '@parley/kit'
import { shownFile } from '../files/add-file.ts'
import type { FileRow } from '../files/file-store.ts'
import { spaceUsed } from '../files/usage-store.ts'
import { messagesOf } from './claim-store.ts'

/** Tells the uploader which messages refer to a file now. */
export const announceClaims = async (tx: Tx<typeof attachmentUpdate>, file: FileRow): Promise<void> => {
  const attachment = shownFile(file, await messagesOf(tx.sql, file.id))
  const upload_space_used = await spaceUsed(tx.sql, file.realm_id)
  tx.emit(
    attachmentUpdate,
    { realm: file.realm_id, users: [file.owner_id] },
    { attachment, upload_space_used },
  )
}
