import { getFileUrl as contract } from '@parley/contracts/uploads/files'
import { nameInPath } from '../files/name-rules.ts'
import { endpoint } from '../room.ts'
import { fileFor } from './file-for.ts'

export const getFileUrl = endpoint(contract, async ({ caller, params, deps }) => {
  const file = await fileFor(deps, caller, params.realm_id, params.path)
  const token = deps.links.issue({ fileId: file.id, userId: caller.user.id })
  return { url: `/user_uploads/temporary/${token}/${encodeURIComponent(nameInPath(file.name))}` }
})
