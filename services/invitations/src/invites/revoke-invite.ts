import { revokeInvite as contract } from '@parley/contracts/invitations/invites'
import { endpoint } from '../room.ts'
import { revoke } from './revoke.ts'

export const revokeInvite = endpoint(contract, async ({ caller, params, deps, transaction }) => {
  await revoke(deps, caller, transaction, { id: params.invite_id, isMultiuse: false })
  return {}
})
