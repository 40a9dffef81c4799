import { limits } from '@parley/contracts'
import { draftsSection as contract } from '@parley/contracts/channels/personal-sections'
import { section } from '../room.ts'
import { newestDraftsOf } from './draft-store.ts'

export const draftsSection = section(contract, async ({ caller, sql }) => ({
  drafts: await newestDraftsOf(sql, caller.user.id, limits.maxDraftsInState),
}))
