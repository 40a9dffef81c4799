import { limits } from '@parley/contracts'
import { savedSnippetsAdd } from '@parley/contracts/channels/events'
import { createSavedSnippet as contract } from '@parley/contracts/channels/saved-snippets'
import { endpoint } from '../room.ts'
import { insertSavedSnippet } from './saved-snippet-store.ts'

export const createSavedSnippet = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { maxSavedSnippets } = limits
    const saved_snippet = await insertSavedSnippet(tx.sql, caller.user.id, params, maxSavedSnippets)
    if (saved_snippet === undefined) {
      throw refuse('BAD_REQUEST', `You can't have more than ${maxSavedSnippets} saved snippets.`)
    }
    tx.emit(savedSnippetsAdd, { realm: caller.realm.id, users: [caller.user.id] }, { saved_snippet })
    return { saved_snippet_id: saved_snippet.id }
  }),
)
