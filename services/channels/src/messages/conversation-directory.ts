import type { Database } from '@parley/db'
import { LRUCache } from 'lru-cache'
import { companyRow } from '../directory/company.ts'
import type { RealmDirectory } from '../directory/realm-directory.ts'
import { conversationOf } from './conversation-store.ts'

const remembered = 100_000

/** Direct conversations in memory; one that exists never changes. */
export interface ConversationDirectory {
  /** The recipient ID of the conversation of exactly these people (IDs ascending). */
  recipientId(realmId: number, userIds: readonly number[]): Promise<number>
}

export const conversationDirectory = (
  database: Database,
  realms: Pick<RealmDirectory, 'get'>,
): ConversationDirectory => {
  const known = new LRUCache<string, number>({ max: remembered })
  return {
    async recipientId(realmId, userIds) {
      const key = `${realmId}:${userIds.join(',')}`
      const before = known.get(key)
      if (before !== undefined) return before
      const realm = await realms.get(realmId)
      const news = companyRow(realm, userIds)
      const recipientId = await database.guard(conversationOf(database.sql, realmId, userIds, news))
      if (news !== undefined) database.committed()
      known.set(key, recipientId)
      return recipientId
    },
  }
}
