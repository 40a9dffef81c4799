import { limits } from '@parley/contracts'
import { draftsSection as contract } from '@parley/contracts/channels/personal-sections'
import { section } from '../room.ts'
import { draftsOf } from './draft-store.ts'

export const draftsSection = section(
  contract,
  async ({ caller, sql, deps }) => {
    const people = await deps.personal.of(caller.realm.id)
    const isSynchronized = people.setting(caller.user.id, 'enable_drafts_synchronization')
    return {
      drafts: isSynchronized ? await draftsOf(sql, caller.user.id, limits.maxDraftsInState) : [],
    }
  },
  async () => ({ drafts: [] }),
)
