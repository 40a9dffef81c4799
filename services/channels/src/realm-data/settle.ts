import { storeActivityOfAll } from '../recent-activity/recent-activity-store.ts'
import type { Deps } from '../room.ts'

/**
 * Accounts are unknown here until identity tells of them, and count as active until then; those that are not are taken off
 * when they become known. Whether a channel is active is a question of today.
 */
export const settle = async (realmId: number, { database }: Pick<Deps, 'database'>): Promise<void> => {
  await database.sql`
    UPDATE channels SET subscriber_count = (
      SELECT count(*) FROM subscription_periods p WHERE p.channel_id = channels.id AND p.to_version IS NULL)
    WHERE realm_id = ${realmId}`
  await storeActivityOfAll(database.sql, realmId)
}
