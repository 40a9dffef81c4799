import { removeAttachment as contract } from '@parley/contracts/uploads/attachments'
import { attachmentRemove } from '@parley/contracts/uploads/events'
import { dropObjects } from '../objects/loose-store.ts'
import { endpoint } from '../room.ts'
import { deleteFile } from './file-store.ts'
import { objectKey } from './name-rules.ts'
import { addSpaceUsed } from './usage-store.ts'

export const removeAttachment = endpoint(contract, async ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realm = caller.realm.id
    const gone = await deleteFile(tx.sql, realm, caller.user.id, params.attachment_id)
    if (gone === undefined) throw refuse('BAD_REQUEST', 'Invalid attachment')
    await dropObjects(tx.sql, [objectKey(gone.path_id)])
    const upload_space_used = await addSpaceUsed(tx.sql, realm, -gone.size)
    tx.emit(
      attachmentRemove,
      { realm, users: [caller.user.id] },
      { attachment: { id: gone.id }, upload_space_used },
    )
    return {}
  }),
)
