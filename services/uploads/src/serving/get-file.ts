import { getFile as contract } from '@parley/contracts/uploads/files'
import { mayHaveFile } from '../claims/may-have-file.ts'
import { fileAt } from '../files/file-store.ts'
import { endpoint } from '../room.ts'
import { fileNotFound, fileReply } from './file-reply.ts'

export const getFile = endpoint(contract, async ({ caller, params, deps, request, refuse }) => {
  // Whoever is nobody learns nothing, not even what exists.
  if (caller.user === null) throw refuse('ACCESS_DENIED', 'You are not authorized to view this file.')
  const { sql } = deps.database
  const { realm_id, path } = params
  const isOwn = realm_id === caller.realm.id
  const file = isOwn ? await fileAt(sql, realm_id, `${realm_id}/${path}`) : undefined
  if (file === undefined || !(await mayHaveFile({ sql, ask: deps.ask }, caller.user.id, file))) {
    throw fileNotFound()
  }
  return fileReply(deps.store, file, request)
})
