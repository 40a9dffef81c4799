import type { IncomingMessage } from 'node:http'
import { noRealm, refuse } from '@parley/contracts'
import type { Deps } from '../room.ts'
import type { KnownRealm } from './realm-directory.ts'

/**
 * The organization at the host that a request names. Where `realmless`, the root host counts as one even while no
 * organization lives there.
 *
 * @throws ApiError NONEXISTENT_SUBDOMAIN; BAD_REQUEST for no host at all; EngineUnavailableError.
 */
export const realmAt = async (
  deps: Pick<Deps, 'subdomainOf' | 'realms' | 'publicUrl'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
  realmless: boolean,
): Promise<KnownRealm> => {
  if (headers.host === undefined) throw refuse('BAD_REQUEST', 'The Host header is missing.')
  const subdomain = deps.subdomainOf(headers.host)
  if (subdomain === undefined) throw nonexistent()
  const realm = await deps.realms.find(subdomain)
  if (realm !== null) return realm
  if (!realmless || subdomain !== '') throw nonexistent()
  return { caller: { id: noRealm, subdomain, url: deps.publicUrl }, isActive: true }
}

const nonexistent = () => refuse('NONEXISTENT_SUBDOMAIN', 'There is no organization at this address.')
