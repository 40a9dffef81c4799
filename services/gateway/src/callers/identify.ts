import type { IncomingMessage } from 'node:http'
import type { Caller } from '@parley/contracts'
import type { Deps } from '../room.ts'
import type { RouteFound } from '../routing/route-table.ts'
import type { Session } from '../sessions/session-store.ts'
import { basicCaller } from './basic-caller.ts'
import { clientName } from './client-name.ts'
import type { KnownRealm } from './realm-directory.ts'
import { sessionCaller } from './session-caller.ts'

/**
 * Who is calling, by what the door takes: `/api/v1` HTTP Basic, `/json` a session cookie, and only the routes of
 * files, uploads and pages either of them.
 *
 * @throws ApiError and EngineUnavailableError as `basicCaller` and `sessionCaller`.
 */
export const identify = async (
  deps: Deps,
  realm: KnownRealm,
  { door, route }: RouteFound,
  request: IncomingMessage,
): Promise<{ caller: Caller; session: Session | undefined }> => {
  const { authorization, cookie } = request.headers
  const { doors } = route.endpoint
  if (doors === 'open') {
    const client = clientName(request.headers['user-agent'])
    return { caller: { realm: realm.caller, user: null, client }, session: undefined }
  }
  const takesCookie =
    door === 'json' || (doors === 'files' && authorization === undefined && cookie !== undefined)
  if (takesCookie) return sessionCaller(deps, realm, route, request)
  return { caller: await basicCaller(deps, realm, route, request.headers), session: undefined }
}
