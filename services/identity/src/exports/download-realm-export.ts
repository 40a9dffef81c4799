import { downloadRealmExport as contract } from '@parley/contracts/identity/realm-exports'
import { StreamedReply } from '@parley/kit'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { archiveName } from './export-presentation.ts'
import { hasArchive, mayHaveExport } from './export-rules.ts'
import { exportById } from './export-store.ts'

export const downloadRealmExport = endpoint(contract, async ({ caller, params, deps, request, refuse }) => {
  const denied = () => refuse('ACCESS_DENIED', 'This address works no more.')
  const link = deps.exportLinks.read(params.token)
  if (link === undefined) throw denied()
  const { sql } = deps.database
  const row = await exportById(sql, link.exportId)
  if (row === undefined || row.realm_id !== caller.realm.id || !hasArchive(row)) throw denied()
  // Since it was given the address, the account may have ended, or have lost its role.
  const user = await userById(sql, row.realm_id, link.userId)
  if (!user?.is_active || !mayHaveExport(user, row.export_type)) throw denied()
  const headers = {
    'content-type': 'application/x-tar',
    'content-length': String(row.bytes),
    'content-disposition': `attachment; filename="${archiveName(caller.realm.subdomain, row.id)}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
  if (request.method === 'HEAD') return new StreamedReply(200, headers, null)
  const content = await (await deps.store()).get(row.object_key!)
  if (content === undefined) throw denied()
  return new StreamedReply(200, headers, content)
})
