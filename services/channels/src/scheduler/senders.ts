/** Other ways for a message to end than in the batch of its process; the way there is the same. */
import type { Database } from '@parley/db'
import type { Tx } from '@parley/kit'
import type { MessageSender } from '../messages/message-batcher.ts'
import { type OutgoingMessage, sendMessages } from '../messages/send-store.ts'
import type { Deps } from '../room.ts'

/** The same service, whose messages go to `sender`. */
export const withSender = (deps: Deps, sender: MessageSender): Deps =>
  Object.create(deps, { sender: { value: sender } })

/** Stores messages in a transaction, with whatever else it does. */
export const senderIn = (tx: Tx, database: Database): MessageSender => ({
  async send(message) {
    const { outcomes } = await sendMessages(tx.sql, [message])
    tx.afterCommit(() => database.committed())
    return outcomes[0]!
  },
})

export interface Rehearsal extends MessageSender {
  /** What would have been sent. */
  readonly message: OutgoingMessage | undefined
}

/** Sends nothing: what a message would be, judged as if it were sent now. */
export const rehearsal = (database: Database): Rehearsal => {
  let seen: OutgoingMessage | undefined
  return {
    get message() {
      return seen
    },
    async send(message) {
      const { channel_id, sender_id } = message
      if (channel_id !== null) {
        const [standing] = await database.guard(database.sql<{ version: number; is_member: boolean }[]>`
          SELECT c.version, EXISTS (
            SELECT FROM subscription_periods p
            WHERE p.channel_id = c.id AND p.user_id = ${sender_id} AND p.to_version IS NULL) AS is_member
          FROM channels c WHERE c.id = ${channel_id}`)
        if (standing?.version !== message.channel_version) return { outcome: 'stale', id: null }
        if (message.members_only && !standing.is_member) return { outcome: 'not_member', id: null }
      }
      seen = message
      return { outcome: 'sent', id: 0, sent_at_seconds: 0, new_policy: null }
    },
  }
}
