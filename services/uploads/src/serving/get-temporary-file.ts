import { findUsers } from '@parley/contracts/identity/internals'
import { getTemporaryFile as contract } from '@parley/contracts/uploads/files'
import { mayHaveFile } from '../claims/may-have-file.ts'
import { fileById } from '../files/file-store.ts'
import { endpoint } from '../room.ts'
import { fileReply } from './file-reply.ts'

export const getTemporaryFile = endpoint(contract, async ({ caller, params, deps, request, refuse }) => {
  const denied = () => refuse('ACCESS_DENIED', 'This address works no more.')
  const link = deps.links.read(params.token)
  if (link === undefined) throw denied()
  const { sql } = deps.database
  const file = await fileById(sql, link.fileId)
  if (file === undefined || file.realm_id !== caller.realm.id) throw denied()
  // Within a minute somebody may be deactivated, or lose the message.
  const { users } = await deps.ask(findUsers, { realm_id: file.realm_id, ids: [link.userId], emails: [] })
  if (users[0]?.is_active !== true) throw denied()
  if (!(await mayHaveFile({ sql, ask: deps.ask }, link.userId, file))) throw denied()
  return fileReply(deps.store, file, request)
})
