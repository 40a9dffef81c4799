import type { Visit } from '../own-endpoint.ts'
import type { Deps } from '../room.ts'

/**
 * Logs the browser in. The session that it had ends: whoever knew its token before learns nothing of the new one.
 *
 * @returns the headers that hand the cookies over.
 */
export const openSession = async (
  deps: Deps,
  { exchange, realm, session: old }: Pick<Visit, 'exchange' | 'realm' | 'session'>,
  userId: number,
): Promise<string[]> => {
  const { session, token } = await deps.sessions.open({
    realmId: realm.caller.id,
    userId,
    // A password that was changed while it was looked at has ended what it opens.
    createdAt: exchange.begunAt,
    address: exchange.address,
    userAgent: exchange.request.headers['user-agent'] ?? '',
  })
  if (old !== undefined) await deps.sessions.end(old.userId, old.id)
  return deps.cookies.set({ token, csrfToken: session.csrfToken })
}
