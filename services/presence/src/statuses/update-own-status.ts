import { updateOwnStatus as contract } from '@parley/contracts/presence/statuses'
import { endpoint } from '../room.ts'
import { changeStatus } from './change-status.ts'
import { customEmojiMeant } from './custom-emoji.ts'
import { statusChange } from './status-rules.ts'

export const updateOwnStatus = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const whose = { realmId: caller.realm.id, userId: caller.user.id }
  const custom = await customEmojiMeant(deps.emoji, whose.realmId, params)
  await changeStatus(deps, transaction, whose, statusChange(params, custom))
  return {}
})
