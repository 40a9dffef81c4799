import { listAttachments as contract } from '@parley/contracts/uploads/attachments'
import { endpoint } from '../room.ts'
import { attachmentsOf } from './file-store.ts'
import { spaceUsed } from './usage-store.ts'

export const listAttachments = endpoint(contract, async ({ caller, deps }) => {
  const { sql } = deps.database
  const [attachments, upload_space_used] = await Promise.all([
    attachmentsOf(sql, caller.realm.id, caller.user.id),
    spaceUsed(sql, caller.realm.id),
  ])
  return { attachments, upload_space_used }
})
