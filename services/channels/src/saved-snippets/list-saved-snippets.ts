import { listSavedSnippets as contract } from '@parley/contracts/channels/saved-snippets'
import { endpoint } from '../room.ts'
import { savedSnippetsOf } from './saved-snippet-store.ts'

export const listSavedSnippets = endpoint(contract, async ({ caller, deps: { database } }) => ({
  saved_snippets: await database.guard(savedSnippetsOf(database.sql, caller.user.id)),
}))
