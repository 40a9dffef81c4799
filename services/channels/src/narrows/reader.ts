import { type Caller, refuse } from '@parley/contracts'
import { findActor } from '../permissions/find-actor.ts'
import type { Deps, Queries } from '../room.ts'
import { anybody, showsToAnybody } from './anonymous.ts'
import type { NarrowReader } from './narrow-plan.ts'

/**
 * Who reads: an account with all its groups, or anybody where the organization shows something to everybody.
 *
 * @throws ApiError UNAUTHORIZED without an account, where that is needed.
 */
export const readerOf = async (
  deps: Pick<Deps, 'users' | 'database' | 'realms'>,
  caller: Caller,
  sql: Queries = deps.database.sql,
): Promise<NarrowReader> => {
  const realm = await deps.realms.get(caller.realm.id)
  if (caller.user === null && !showsToAnybody(realm)) throw notLoggedIn()
  const person = caller.user === null ? anybody : await findActor(deps, caller.user, realm, sql)
  return { realm: caller.realm, person }
}

export const notLoggedIn = () =>
  refuse('UNAUTHORIZED', 'Not logged in: API authentication or user session required')
