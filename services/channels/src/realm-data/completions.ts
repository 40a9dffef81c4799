import type { Row, TakingIn } from '@parley/kit/holdings'
import { idsOf, shifted } from '@parley/kit/rewritings'
import { participantsHash } from '../messages/conversation-store.ts'

/** Participants are known by a hash of their IDs, which are new. */
export const completeConversations = async (rows: Row[], { realmId }: TakingIn): Promise<Row[]> =>
  rows.map((row) => {
    const user_ids = (row.user_ids as number[]).toSorted((a, b) => a - b)
    return {
      ...row,
      user_ids,
      participants_hash: `\\x${participantsHash(realmId, user_ids).toString('hex')}`,
    }
  })

/** Custom emoji are known by their IDs. */
export const completeReactions = async (rows: Row[], { shifts }: TakingIn): Promise<Row[]> =>
  rows.map((row) =>
    row.reaction_type === 'realm_emoji'
      ? { ...row, emoji_code: String(shifted(shifts, 'emoji', Number(row.emoji_code))) }
      : row,
  )

/** What is to be sent goes to a channel, or to people. */
export const completeRecipients = async (rows: Row[], context: TakingIn): Promise<Row[]> =>
  rows.map((row) => ({
    ...row,
    recipients: idsOf(row.type === 'stream' ? 'channel' : 'user')(row.recipients, context),
  }))
