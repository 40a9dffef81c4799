import { fileInfos as contract } from '@parley/contracts/uploads/internals'
import { mayHaveFile } from '../claims/may-have-file.ts'
import { filesAt } from '../files/file-store.ts'
import { internal } from '../room.ts'
import { shownPicture } from './thumbnail-rules.ts'

export const fileInfos = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const found = await filesAt(sql, input.realm_id, input.path_ids)
  const files = []
  for (const file of found) {
    const isImage = file.content_type.startsWith('image/')
    const info = isImage ? shownPicture(file) : { path_id: file.path_id, content_type: file.content_type }
    if (info === undefined) continue
    if (await mayHaveFile({ sql, ask: deps.ask }, input.user_id, file)) files.push(info)
  }
  return { files }
})
