import { emojiTopic } from '@parley/contracts/uploads/topics'
import { inTransaction } from '@parley/kit'
import { emojiOfRealm } from '../emoji/emoji-store.ts'
import type { Deps } from '../room.ts'

/** Bytes of all files of an organization, counted anew; and the other services are told of its emoji. */
export const settle = (realmId: number, { database }: Pick<Deps, 'database'>): Promise<void> =>
  inTransaction(database, async (tx) => {
    await tx.sql`
      INSERT INTO realm_usage (realm_id, bytes)
      SELECT ${realmId}, coalesce(sum(size), 0)::bigint FROM attachments WHERE realm_id = ${realmId}
      ON CONFLICT (realm_id) DO UPDATE SET bytes = excluded.bytes`
    for (const emoji of await emojiOfRealm(tx.sql, realmId)) {
      tx.publish(emojiTopic, emoji.id, { ...emoji, realm_id: realmId })
    }
  })
