import type { LegacyPresence, ModernPresence } from '@parley/contracts/objects/presence'
import type { Deps } from '../room.ts'
import { legacyPresences, modernPresences } from './presence-boards.ts'

const daySeconds = 86_400

export interface RecentPresences {
  /** The newest change among them; null when there is none. */
  readonly latest: number | null
  readonly presences: Record<string, LegacyPresence | ModernPresence>
}

/**
 * Everybody who was there in the last days, by ID (`isSlim`) or by API e-mail. `atLeast` is a change that has to be among
 * them; without it the newest one is looked up.
 */
export const recentPresences = async (
  { boards, users }: Pick<Deps, 'boards' | 'users'>,
  realmId: number,
  wanted: { days: number; isSlim: boolean; atLeast?: number },
): Promise<RecentPresences> => {
  if (wanted.days === 0) return { latest: null, presences: {} }
  const since = Date.now() / 1000 - wanted.days * daySeconds
  const { latest, people } = await boards.all(realmId, since, wanted.atLeast)
  const presences = wanted.isSlim
    ? modernPresences(people)
    : legacyPresences(
        people,
        await users.byIds(
          realmId,
          people.map((one) => one.userId),
        ),
      )
  return { latest: people.length === 0 ? null : latest, presences }
}
