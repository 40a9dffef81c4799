import { getUserStatus as contract } from '@parley/contracts/presence/statuses'
import { demandAccount } from '../accounts/demand-account.ts'
import { endpoint } from '../room.ts'
import { shownStatus } from './status-rules.ts'
import { statusOf } from './status-store.ts'

export const getUserStatus = endpoint(contract, async ({ params, caller, deps }) => {
  const { database, users } = deps
  await demandAccount(users, caller.realm.id, params.user_id)
  const status = await database.guard(statusOf(database.sql, caller.realm.id, params.user_id))
  return { status: shownStatus(status) }
})
