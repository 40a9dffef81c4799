import type { IncomingMessage } from 'node:http'
import { refuse } from '@parley/contracts'
import type { Deps } from '../room.ts'
import type { KnownRealm } from './realm-directory.ts'

/**
 * The organization at the host that a request names.
 *
 * @throws ApiError NONEXISTENT_SUBDOMAIN; BAD_REQUEST for no host at all; EngineUnavailableError.
 */
export const realmAt = async (deps: Deps, { headers }: IncomingMessage): Promise<KnownRealm> => {
  if (headers.host === undefined) throw refuse('BAD_REQUEST', 'The Host header is missing.')
  const subdomain = deps.subdomainOf(headers.host)
  if (subdomain === undefined) throw noRealm()
  const realm = await deps.realms.find(subdomain)
  if (realm === null) throw noRealm()
  return realm
}

const noRealm = () => refuse('NONEXISTENT_SUBDOMAIN', 'There is no organization at this address.')
