import { ApiError, noRealm, refuse } from '@parley/contracts'
import { foundRealm, judgeFounding } from '@parley/contracts/identity/founding'
import type { Deps } from '../room.ts'
import {
  claimFounding,
  type Founding,
  foundingByKey,
  postponeFounding,
  settleFounding,
} from './founding-store.ts'

type Parts = Pick<Deps, 'ask' | 'database' | 'log'>

const longestKey = 100
/** Seconds between two attempts at most. */
const longestPause = 300

const used = () => refuse('BAD_REQUEST', 'This link was used already. If it was you, log in.')

/** @throws ApiError RESOURCE_NOT_FOUND, BAD_REQUEST */
export const demandFounding = async (
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  key: string,
): Promise<Founding> => {
  const found = await foundingByKey(database.sql, keys.hash(noRealm, key.slice(0, longestKey)))
  if (found === undefined) throw refuse('RESOURCE_NOT_FOUND', 'This link is not valid here.')
  if (found.state !== 'open') throw used()
  if (found.is_expired) throw refuse('BAD_REQUEST', 'This link has expired.')
  return found
}

/** @throws ApiError BAD_REQUEST when it cannot be made (any more); EngineUnavailableError when identity is away. */
const finish = async ({ ask, database }: Parts, founding: Founding): Promise<{ url: string }> => {
  const { id, name, subdomain, realm_name, email, full_name, password_hash } = founding
  try {
    const { url } = await ask(foundRealm, {
      name,
      subdomain,
      realm_name,
      founder: { email, full_name: full_name!, password_hash: password_hash! },
    })
    await settleFounding(database.sql, id, 'done')
    return { url }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) await settleFounding(database.sql, id, 'open')
    throw error
  }
}

/**
 * Makes an organization with its owner. The key is claimed before: of any number who come with it at once, one founds.
 * Whoever dies afterwards, another process finishes (`resumeFounding`).
 *
 * @throws ApiError RESOURCE_NOT_FOUND, BAD_REQUEST; EngineUnavailableError when identity is away: the organization comes
 * into being when it is back.
 */
export const found = async (
  deps: Deps,
  wish: { key: string; full_name: string; password: string },
): Promise<{ url: string; email: string }> => {
  const { id, subdomain, realm_name, email } = await demandFounding(deps, wish.key)
  const full_name = wish.full_name.trim()
  const { password_hash } = await deps.ask(judgeFounding, {
    subdomain,
    realm_name,
    founder: { email, full_name, password: wish.password },
  })
  const claimed = await claimFounding(deps.database.sql, id, { full_name, password_hash: password_hash! })
  if (claimed === undefined) throw used()
  return { ...(await finish(deps, claimed)), email }
}

/** Goes on with an organization to which nobody attends any more. */
export const resumeFounding = async (parts: Parts, founding: Founding): Promise<void> => {
  try {
    await finish(parts, founding)
  } catch (error) {
    parts.log.warn({ err: error, founding: founding.name }, 'an organization waits to be made')
    const pause = Math.min(2 ** Math.min(founding.attempts, 10), longestPause)
    await postponeFounding(parts.database.sql, founding.id, pause)
  }
}
