import { deleteDraft as contract } from '@parley/contracts/channels/drafts'
import { draftsRemove } from '@parley/contracts/channels/events'
import { endpoint } from '../room.ts'
import { removeDraft } from './draft-store.ts'

export const deleteDraft = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { draft_id } = params
    if (!(await removeDraft(tx.sql, caller.user.id, draft_id))) {
      throw refuse('RESOURCE_NOT_FOUND', 'Draft does not exist')
    }
    tx.emit(draftsRemove, { realm: caller.realm.id, users: [caller.user.id] }, { draft_id })
    return {}
  }),
)
