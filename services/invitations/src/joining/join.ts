import {
  confirmAddress as confirmContract,
  join as joinContract,
  showKey as showContract,
} from '@parley/contracts/invitations/joining'
import { endpoint } from '../room.ts'
import { demandWelcome, findEntrance } from './entrance.ts'
import { letIn } from './let-in.ts'
import { sendConfirmation } from './send-confirmation.ts'

export const showKey = endpoint(showContract, async ({ caller, params, deps }) => {
  const { invitation, email } = await findEntrance(deps, caller.realm, params.key)
  const { realm } = await demandWelcome(deps, caller.realm.id, invitation)
  return { realm_name: realm.name, email }
})

export const confirmAddress = endpoint(confirmContract, async ({ caller, params, deps }) => {
  await sendConfirmation(deps, caller.realm, params)
  return {}
})

export const join = endpoint(joinContract, ({ caller, params, deps }) => letIn(deps, caller.realm, params))
