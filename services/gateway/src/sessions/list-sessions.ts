import { listSessions as contract } from '@parley/contracts/gateway/sessions'
import { ownEndpoint } from '../own-endpoint.ts'

export const listSessions = ownEndpoint(contract, async ({ visit, deps }) => {
  const sessions = await deps.sessions.list(visit.caller.user!.id)
  return {
    reply: {
      sessions: sessions.map((session) => ({
        id: session.id,
        is_current: session.id === visit.session?.id,
        created_at: Math.floor(session.createdAt),
        last_seen_at: session.seenAt,
        address: session.address,
        user_agent: session.userAgent,
      })),
    },
  }
})
