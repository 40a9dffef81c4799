import { readableMessages } from '@parley/contracts/channels/internals'
import type { Ask } from '@parley/kit'
import type { FileRow } from '../files/file-store.ts'
import type { Queries } from '../room.ts'
import { messagesOf } from './claim-store.ts'

/** Messages that channels is asked about at once. */
const perQuestion = 500

/**
 * Whether an active account may have a file: its own, or one that a message refers to which the account may read now.
 * Null: whoever looks on without an account, where the organization lets them.
 * This is the only place that says so.
 */
export const mayHaveFile = async (
  { sql, ask }: { sql: Queries; ask: Ask },
  userId: number | null,
  file: Pick<FileRow, 'id' | 'owner_id' | 'realm_id'>,
): Promise<boolean> => {
  if (file.owner_id === userId) return true
  // The latest first: older ones are more often out of reach.
  const messages = (await messagesOf(sql, file.id)).reverse()
  for (let from = 0; from < messages.length; from += perQuestion) {
    const message_ids = messages.slice(from, from + perQuestion)
    const readable = await ask(readableMessages, { realm_id: file.realm_id, user_id: userId, message_ids })
    if (readable.message_ids.length > 0) return true
  }
  return false
}
