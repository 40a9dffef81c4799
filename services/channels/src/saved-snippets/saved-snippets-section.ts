import { savedSnippetsSection as contract } from '@parley/contracts/channels/personal-sections'
import { section } from '../room.ts'
import { savedSnippetsOf } from './saved-snippet-store.ts'

export const savedSnippetsSection = section(
  contract,
  async ({ caller, sql }) => ({
    saved_snippets: await savedSnippetsOf(sql, caller.user.id),
  }),
  async () => ({ saved_snippets: [] }),
)
