import { getFile as contract } from '@parley/contracts/uploads/files'
import { endpoint } from '../room.ts'
import { fileFor } from './file-for.ts'
import { fileReply } from './file-reply.ts'

export const getFile = endpoint(contract, async ({ caller, params, deps, request }) =>
  fileReply(deps.store, await fileFor(deps, caller, params.realm_id, params.path), request),
)
