import { endOtherSessions as contract } from '@parley/contracts/gateway/sessions'
import { ownEndpoint } from '../own-endpoint.ts'

export const endOtherSessions = ownEndpoint(contract, async ({ visit, deps }) => {
  await deps.sessions.endAll(visit.caller.user!.id, visit.session?.id)
  return { reply: {} }
})
