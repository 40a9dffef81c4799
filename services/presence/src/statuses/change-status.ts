import { userStatusChanged } from '@parley/contracts/presence/events'
import type { Tx } from '@parley/kit'
import type { Deps } from '../room.ts'
import { statusAudience } from './status-audience.ts'
import type { StatusChange } from './status-rules.ts'
import { saveStatus } from './status-store.ts'

/**
 * Changes somebody's status, in one transaction with its announcement. Hiding oneself takes effect before it is told: while
 * Redis is away it is refused, rather than said to be done.
 */
export const changeStatus = async (
  deps: Pick<Deps, 'presences' | 'news' | 'ask' | 'rules' | 'users'>,
  transaction: (work: (tx: Tx<typeof userStatusChanged>) => Promise<void>) => Promise<void>,
  whose: { realmId: number; userId: number },
  change: StatusChange,
): Promise<void> => {
  const { realmId, userId } = whose
  const audience = await statusAudience(deps, realmId, userId)
  await transaction(async (tx) => {
    const isShown = await saveStatus(tx.sql, realmId, userId, change)
    tx.emit(userStatusChanged, await audience(tx.sql), { user_id: userId, ...change })
    // Whose settings hide the presence is hidden, away or not.
    if (change.away === undefined || !isShown) return
    const seen = await deps.presences.hide(realmId, userId, change.away)
    tx.afterCommit(() => deps.news.tell(realmId, userId, seen))
  })
}
