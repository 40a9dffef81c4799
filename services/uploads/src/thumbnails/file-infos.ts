import { fileInfos as contract } from '@parley/contracts/uploads/internals'
import { filesOneMayHave } from '../claims/may-have-file.ts'
import { filesAt } from '../files/file-store.ts'
import { internal } from '../room.ts'
import { shownPicture } from './thumbnail-rules.ts'

export const fileInfos = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const shown = (await filesAt(sql, input.realm_id, input.path_ids)).flatMap((file) => {
    const isImage = file.content_type.startsWith('image/')
    const info = isImage ? shownPicture(file) : { path_id: file.path_id, content_type: file.content_type }
    return info === undefined ? [] : [{ file, info }]
  })
  const may = await filesOneMayHave(
    { sql, ask: deps.ask },
    input.user_id,
    shown.map(({ file }) => file),
  )
  return { files: shown.filter(({ file }) => may.has(file.id)).map(({ info }) => info) }
})
