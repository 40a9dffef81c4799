import type { Caller } from '@parley/contracts'
import type { LegacyPresence, ModernPresence } from '@parley/contracts/objects/presence'
import { knownPeople, type MayKnow } from '../accounts/known-people.ts'
import type { Deps } from '../room.ts'
import { legacyPresences, modernPresences } from './presence-boards.ts'

const daySeconds = 86_400

/** UNIX seconds. */
export const daysAgo = (days: number): number => Date.now() / 1000 - days * daySeconds

export interface RecentPresences {
  /** The newest change among them; null when there is none. */
  readonly latest: number | null
  readonly presences: Record<string, LegacyPresence | ModernPresence>
}

/** Whose presence a caller may see: undefined for everybody's. */
export const seenPeople = async (
  deps: Pick<Deps, 'ask' | 'rules' | 'areLimitsKept'>,
  caller: Pick<Caller, 'realm' | 'user'>,
): Promise<MayKnow | undefined> => (deps.areLimitsKept ? knownPeople(deps, caller) : undefined)

/** Those of `people` whom the caller may see. */
export const seenBy = async <Person extends { readonly userId: number }>(
  deps: Pick<Deps, 'users'>,
  caller: Pick<Caller, 'realm' | 'user'>,
  mayKnow: MayKnow | undefined,
  people: readonly Person[],
): Promise<readonly Person[]> => {
  if (mayKnow === undefined) return people
  const ids = people.map(({ userId }) => userId)
  const accounts = await deps.users.byIds(caller.realm.id, ids)
  return people.filter(({ userId }) => {
    const account = accounts.get(userId)
    return account !== undefined && mayKnow(account)
  })
}

/**
 * Everybody who was there in the last days, by ID (`isSlim`) or by API e-mail. `atLeast` is a change that has to be among
 * them; without it the newest one is looked up.
 */
export const recentPresences = async (
  deps: Pick<Deps, 'boards' | 'users' | 'ask' | 'rules' | 'areLimitsKept'>,
  caller: Pick<Caller, 'realm' | 'user'>,
  wanted: { days: number; isSlim: boolean; atLeast?: number },
): Promise<RecentPresences> => {
  const { boards, users, rules } = deps
  const realmId = caller.realm.id
  if (wanted.days === 0 || rules.of(realmId).isPresenceDisabled) return { latest: null, presences: {} }
  const since = daysAgo(wanted.days)
  const { latest, people: all } = await boards.all(realmId, since, wanted.atLeast)
  const people = await seenBy(deps, caller, await seenPeople(deps, caller), all)
  const presences = wanted.isSlim
    ? modernPresences(people)
    : legacyPresences(
        people,
        await users.byIds(
          realmId,
          people.map((one) => one.userId),
        ),
      )
  return { latest: all.length === 0 ? null : latest, presences }
}
