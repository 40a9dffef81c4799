import { detachedFiles as contract } from '@parley/contracts/uploads/internals'
import { attachmentsOf } from '../files/file-store.ts'
import { internal } from '../room.ts'

export const detachedFiles = internal(contract, async ({ input, deps }) => {
  const { database } = deps
  const own = await database.guard(attachmentsOf(database.sql, input.realm_id, input.user_id, input.path_ids))
  // The news of the change may be on its way still.
  const named = own.map((file) => ({
    ...file,
    message_ids: file.message_ids.filter((id) => id !== input.message_id),
  }))
  return { attachments: named.filter((file) => file.message_ids.length === 0) }
})
