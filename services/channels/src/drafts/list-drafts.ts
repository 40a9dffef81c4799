import { listDrafts as contract } from '@parley/contracts/channels/drafts'
import { endpoint } from '../room.ts'
import { draftsOf } from './draft-store.ts'

export const listDrafts = endpoint(contract, async ({ caller, deps }) => {
  const drafts = await deps.database.guard(draftsOf(deps.database.sql, caller.user.id))
  return { count: drafts.length, drafts }
})
