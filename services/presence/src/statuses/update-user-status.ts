import { updateUserStatus as contract } from '@parley/contracts/presence/statuses'
import { demandAccount } from '../accounts/demand-account.ts'
import { endpoint } from '../room.ts'
import { changeStatus } from './change-status.ts'
import { customEmojiMeant } from './custom-emoji.ts'
import { statusChange } from './status-rules.ts'

export const updateUserStatus = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  const { user_id, ...sent } = params
  const account = await demandAccount(deps.users, caller.realm.id, user_id)
  if (!account.is_active) throw refuse('BAD_REQUEST', 'User is deactivated')
  const whose = { realmId: caller.realm.id, userId: user_id }
  const custom = await customEmojiMeant(deps.emoji, whose.realmId, sent)
  await changeStatus(deps, transaction, whose, statusChange(sent, custom))
  return {}
})
