import { getUserStatus as contract } from '@parley/contracts/presence/statuses'
import { demandAccount } from '../accounts/demand-account.ts'
import { knownPeople } from '../accounts/known-people.ts'
import { endpoint } from '../room.ts'
import { shownStatus } from './status-rules.ts'
import { statusOf } from './status-store.ts'

export const getUserStatus = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database, users } = deps
  const account = await demandAccount(users, caller.realm.id, params.user_id)
  const mayKnow = await knownPeople(deps, caller)
  if (mayKnow?.(account) === false) throw refuse('BAD_REQUEST', 'No such user')
  const status = await database.guard(statusOf(database.sql, caller.realm.id, params.user_id))
  return { status: shownStatus(status) }
})
