import { savedSnippetsRemove } from '@parley/contracts/channels/events'
import { deleteSavedSnippet as contract } from '@parley/contracts/channels/saved-snippets'
import { endpoint } from '../room.ts'
import { removeSavedSnippet } from './saved-snippet-store.ts'

export const deleteSavedSnippet = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { saved_snippet_id } = params
    if (!(await removeSavedSnippet(tx.sql, caller.user.id, saved_snippet_id))) {
      throw refuse('RESOURCE_NOT_FOUND', 'Saved snippet does not exist.')
    }
    tx.emit(savedSnippetsRemove, { realm: caller.realm.id, users: [caller.user.id] }, { saved_snippet_id })
    return {}
  }),
)
