import { logOut as contract } from '@parley/contracts/gateway/sessions'
import { ownEndpoint } from '../own-endpoint.ts'

export const logOut = ownEndpoint(contract, async ({ visit, deps }) => {
  const { session } = visit
  if (session !== undefined) await deps.sessions.end(session.userId, session.id)
  return { reply: {}, headers: deps.cookies.set(null) }
})
