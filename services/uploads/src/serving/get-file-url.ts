import { getFileUrl as contract } from '@parley/contracts/uploads/files'
import { mayHaveFile } from '../claims/may-have-file.ts'
import { fileAt } from '../files/file-store.ts'
import { nameInPath } from '../files/name-rules.ts'
import { endpoint } from '../room.ts'
import { fileNotFound } from './file-reply.ts'

export const getFileUrl = endpoint(contract, async ({ caller, params, deps }) => {
  const { sql } = deps.database
  const { realm_id, path } = params
  const isOwn = realm_id === caller.realm.id
  const file = isOwn ? await fileAt(sql, realm_id, `${realm_id}/${path}`) : undefined
  if (file === undefined || !(await mayHaveFile({ sql, ask: deps.ask }, caller.user.id, file))) {
    throw fileNotFound()
  }
  const token = deps.links.issue({ fileId: file.id, userId: caller.user.id })
  return { url: `/user_uploads/temporary/${token}/${encodeURIComponent(nameInPath(file.name))}` }
})
