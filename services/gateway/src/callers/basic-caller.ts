import { type Caller, EngineUnavailableError, notLoggedIn, refuse } from '@parley/contracts'
import type { Deps } from '../room.ts'
import type { Route } from '../routing/route-table.ts'
import { clientName } from './client-name.ts'
import type { Principal } from './principal-directory.ts'
import type { KnownRealm } from './realm-directory.ts'

/**
 * Who calls by HTTP Basic. Endpoints that are for anyone take good credentials and ignore bad ones; also when
 * nobody can say which they are.
 *
 * @throws ApiError UNAUTHORIZED, INVALID_API_KEY, USER_DEACTIVATED, REALM_DEACTIVATED; EngineUnavailableError.
 */
export const basicCaller = async (
  deps: Deps,
  realm: KnownRealm,
  route: Route,
  headers: { authorization?: string | undefined; 'user-agent'?: string | undefined },
): Promise<Caller> => {
  const client = clientName(headers['user-agent'])
  const isForAnyone = route.endpoint.access === 'anyone'
  const { authorization } = headers
  if (authorization === undefined) {
    demandOpen(route, realm)
    return { realm: realm.caller, user: null, client }
  }
  let principal: Principal
  try {
    principal = await deps.principals.find(realm.caller.id, authorization)
  } catch (error) {
    if (isForAnyone && error instanceof EngineUnavailableError)
      return { realm: realm.caller, user: null, client }
    throw error
  }
  if (isForAnyone) return { realm: realm.caller, user: realm.isActive ? principal.user : null, client }
  return { realm: realm.caller, user: accepted(principal, realm), client }
}

/**
 * Holds that a call without credentials may go on to its service.
 *
 * @throws ApiError UNAUTHORIZED, REALM_DEACTIVATED.
 */
export const demandOpen = ({ endpoint }: Route, realm: KnownRealm): void => {
  if (endpoint.access === 'anyone') return
  if (endpoint.access !== 'spectator') throw notLoggedIn()
  if (!realm.isActive) throw realmDeactivated()
}

const accepted = (principal: Principal, realm: KnownRealm) => {
  switch (principal.outcome) {
    case 'accepted':
      if (realm.isActive) return principal.user
      throw realmDeactivated()
    case 'malformed':
      throw refuse('UNAUTHORIZED', 'Invalid authorization header for basic auth')
    case 'invalid':
      throw refuse('INVALID_API_KEY', 'Invalid API key')
    case 'user_deactivated':
      throw userDeactivated()
    case 'realm_deactivated':
      throw realmDeactivated()
  }
}

export const realmDeactivated = () => refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
export const userDeactivated = () => refuse('USER_DEACTIVATED', 'Account is deactivated')
