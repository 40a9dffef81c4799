import { savedSnippetsUpdate } from '@parley/contracts/channels/events'
import { updateSavedSnippet as contract } from '@parley/contracts/channels/saved-snippets'
import { endpoint } from '../room.ts'
import { storeSavedSnippet } from './saved-snippet-store.ts'

export const updateSavedSnippet = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { saved_snippet_id, ...change } = params
    const saved_snippet = await storeSavedSnippet(tx.sql, caller.user.id, saved_snippet_id, change)
    if (saved_snippet === undefined) throw refuse('RESOURCE_NOT_FOUND', 'Saved snippet does not exist.')
    if (Object.keys(change).length > 0) {
      tx.emit(savedSnippetsUpdate, { realm: caller.realm.id, users: [caller.user.id] }, { saved_snippet })
    }
    return {}
  }),
)
