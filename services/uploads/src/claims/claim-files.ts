import { claimFiles as contract } from '@parley/contracts/uploads/internals'
import { internal } from '../room.ts'
import { settleClaims } from './take-in-messages.ts'

export const claimFiles = internal(contract, async ({ input, deps, transaction }) => {
  await transaction((tx) => settleClaims(deps.ask, tx, input.realm_id, input.message_id))
  return {}
})
