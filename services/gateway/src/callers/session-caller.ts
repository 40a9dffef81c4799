import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Caller, refuse } from '@parley/contracts'
import type { Deps } from '../room.ts'
import type { Route } from '../routing/route-table.ts'
import type { Session } from '../sessions/session-store.ts'
import { demandOpen, realmDeactivated, userDeactivated } from './basic-caller.ts'
import { clientName } from './client-name.ts'
import type { KnownRealm } from './realm-directory.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && left.length > 0 && timingSafeEqual(left, right)
}

/** Whether a browser says that a page of another origin makes it ask. */
export const isForeign = (publicUrl: string, { headers }: IncomingMessage): boolean => {
  const { origin, host, 'sec-fetch-site': site } = headers
  return (
    (origin !== undefined && origin !== `${new URL(publicUrl).protocol}//${host}`) ||
    // Other organizations are on the same site, but of another origin.
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  )
}

/**
 * A request that changes something must come from our own pages. With a session that is proved by its CSRF token,
 * which only our pages can read; without one (at log-in), and for the forms of pages, which can carry no such header,
 * by what the browser says of the page's origin.
 *
 * @throws ApiError CSRF_FAILED.
 */
const demandOwnPage = (
  publicUrl: string,
  route: Route,
  request: IncomingMessage,
  session: Session | undefined,
): void => {
  if (safeMethods.has(request.method ?? '')) return
  const { origin, 'x-csrftoken': token } = request.headers
  const isProved =
    session === undefined ||
    (typeof token === 'string' && isSame(token, session.csrfToken)) ||
    (route.endpoint.root === 'server' && origin !== undefined)
  if (isForeign(publicUrl, request) || !isProved)
    throw refuse('CSRF_FAILED', 'CSRF error: the X-CSRFToken header is missing or wrong.')
}

/** The session that a request belongs to; one of another organization is none. */
const sessionOf = async (
  deps: Deps,
  realm: KnownRealm,
  request: IncomingMessage,
): Promise<Session | undefined> => {
  const token = deps.cookies.sessionToken(request.headers.cookie)
  const session = token === undefined ? undefined : await deps.sessions.find(token)
  return session?.realmId === realm.caller.id ? session : undefined
}

/**
 * Who calls by session cookie.
 *
 * @throws ApiError UNAUTHORIZED, CSRF_FAILED, USER_DEACTIVATED, REALM_DEACTIVATED; EngineUnavailableError.
 */
export const sessionCaller = async (
  deps: Deps,
  realm: KnownRealm,
  route: Route,
  request: IncomingMessage,
): Promise<{ caller: Caller; session: Session | undefined }> => {
  const session = await sessionOf(deps, realm, request)
  const caller = { realm: realm.caller, user: null, client: clientName(request.headers['user-agent']) }
  const isForAnyone = route.endpoint.access === 'anyone'
  if (session === undefined) demandOpen(route, realm)
  demandOwnPage(deps.publicUrl, route, request, session)
  if (session === undefined) return { caller, session }
  const account = await deps.accounts.find(realm.caller.id, session.userId)
  const isOver =
    account !== null && session.createdAt < account.sessionsSince && session.id !== account.sparedSession
  if (account === null || isOver) {
    await deps.sessions.end(session.userId, session.id)
    if (isOver) demandOpen(route, realm)
    else if (!isForAnyone) throw userDeactivated()
    return { caller, session: undefined }
  }
  if (!realm.isActive) {
    if (isForAnyone) return { caller, session: undefined }
    throw realmDeactivated()
  }
  return { caller: { ...caller, user: account.user, session: session.id }, session }
}
