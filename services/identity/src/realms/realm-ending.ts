import { refuse } from '@parley/contracts'
import { realmDeactivated } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { type DeletionBounds, deletionFinding } from './deletion-rules.ts'
import { publishRealm } from './realm-announcements.ts'
import { demoOf, lockRealmLife, storeEnd } from './realm-life-store.ts'
import { realmById } from './realm-store.ts'

/**
 * Ends an organization. Its fact ends keys, sessions and queues everywhere; its event tells clients, as the last one that
 * they get.
 *
 * @throws ApiError BAD_REQUEST for a time of deletion out of bounds, or an organization that has ended before.
 */
export const endRealm = async (
  tx: Tx<typeof realmDeactivated>,
  realmId: number,
  days: number | null | undefined,
  bounds: DeletionBounds,
): Promise<void> => {
  const { sql } = tx
  const { is_active } = await lockRealmLife(sql, realmId)
  if (!is_active) throw refuse('BAD_REQUEST', 'This organization is deactivated already.')
  const finding = deletionFinding(days, bounds, await demoOf(sql, realmId))
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  await storeEnd(sql, realmId, days ?? null)
  tx.emit(realmDeactivated, { realm: realmId, everyone: true }, { realm_id: realmId })
  publishRealm(tx, (await realmById(sql, realmId))!)
}
