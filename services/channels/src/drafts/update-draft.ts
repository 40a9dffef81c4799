import { updateDraft as contract } from '@parley/contracts/channels/drafts'
import { draftsUpdate } from '@parley/contracts/channels/events'
import { endpoint } from '../room.ts'
import { demandRecipients } from './draft-recipients.ts'
import { keptDraft } from './draft-rules.ts'
import { hasDraft, storeDraft } from './draft-store.ts'

export const updateDraft = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const { draft_id } = params
  const absent = () => refuse('RESOURCE_NOT_FOUND', 'Draft does not exist')
  const { sql } = deps.database
  if (!(await deps.database.guard(hasDraft(sql, caller.user.id, draft_id)))) throw absent()
  const draft = keptDraft(params.draft, Date.now() / 1000)
  await demandRecipients(deps, caller, [draft])
  return transaction(async (tx) => {
    const stored = await storeDraft(tx.sql, caller.user.id, draft_id, draft)
    if (stored === undefined) throw absent()
    tx.emit(draftsUpdate, { realm: caller.realm.id, users: [caller.user.id] }, { draft: stored })
    return {}
  })
})
