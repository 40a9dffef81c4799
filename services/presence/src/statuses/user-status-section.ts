import { userStatusSection as contract } from '@parley/contracts/presence/sections'
import { knownPeople } from '../accounts/known-people.ts'
import { section } from '../room.ts'
import { shownStatus } from './status-rules.ts'
import { statusesOfRealm } from './status-store.ts'

export const userStatusSection = section(
  contract,
  async ({ caller, sql, deps }) => {
    const all = await statusesOfRealm(sql, caller.realm.id)
    const mayKnow = await knownPeople(deps, caller)
    const accounts =
      mayKnow === undefined
        ? undefined
        : await deps.users.byIds(
            caller.realm.id,
            all.map(({ user_id }) => user_id),
          )
    const statuses = all.filter(({ user_id }) => {
      const account = accounts?.get(user_id)
      return mayKnow === undefined || (account !== undefined && mayKnow(account))
    })
    return { user_status: Object.fromEntries(statuses.map((row) => [String(row.user_id), shownStatus(row)])) }
  },
  async () => ({ user_status: {} }),
)
