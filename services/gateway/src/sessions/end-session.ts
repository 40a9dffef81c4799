import { endSession as contract } from '@parley/contracts/gateway/sessions'
import { ownEndpoint } from '../own-endpoint.ts'

export const endSession = ownEndpoint(contract, async ({ params, visit, deps, refuse }) => {
  const isEnded = await deps.sessions.end(visit.caller.user!.id, params.session_id)
  if (!isEnded) throw refuse('RESOURCE_NOT_FOUND', 'There is no such session.')
  return {
    reply: {},
    ...(params.session_id === visit.session?.id ? { headers: deps.cookies.set(null) } : {}),
  }
})
