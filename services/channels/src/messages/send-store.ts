import type { Account, EnteredRow } from '@parley/bus'
import type { Audience } from '@parley/contracts'
import type { Queries } from '../room.ts'
import type { TopicWish } from '../user-topics/automatic-policies.ts'

/** A message on its way into send_messages (migrations/210); what the fields mean is said in 190, 110 and 004. */
export interface OutgoingMessage {
  readonly realm_id: number
  readonly recipient_id: number
  readonly channel_id: number | null
  readonly channel_version: number | null
  readonly members_only: boolean
  readonly sender_id: number
  readonly topic: string
  readonly content: string
  readonly rendered_content: string
  readonly client: string
  readonly is_me_message: boolean
  readonly has_link: boolean
  readonly has_image: boolean
  readonly has_attachment: boolean
  readonly read_by_sender: boolean
  readonly shared_flags: number
  readonly queue_id: string | null
  readonly local_id: string | null
  readonly message_tail: string
  readonly flags: string
  readonly event_tail: string
  readonly audience: Audience
  readonly marks: readonly { user_id: number; flags: number }[] | null
  readonly mentioned_user_ids: string
  readonly traceparent: string | null
  /** JSON text of the widget that it shows; `message_tail` has no submessages then. */
  readonly widget: string | null
  readonly wishes: readonly TopicWish[] | null
  readonly is_public: boolean
}

export type SendOutcome =
  | {
      readonly outcome: 'sent' | 'repeated'
      readonly id: number
      readonly sent_at_seconds: number
      /** What the sender's policy for the topic has become; null when it is as it was. */
      readonly new_policy: number | null
    }
  | { readonly outcome: 'stale' | 'not_member'; readonly id: null }

/**
 * Stores a batch and its announcements in one round trip; one outcome per message, in order. `entered` are the
 * announcements, if there was an account to enter them into and it could be done; null otherwise.
 */
export const sendMessages = async (
  sql: Queries,
  batch: readonly OutgoingMessage[],
  account?: Account,
): Promise<{ outcomes: SendOutcome[]; entered: readonly EnteredRow[] | null }> => {
  const realms = [...new Set(batch.map((message) => message.realm_id))].sort((a, b) => a - b)
  const outcomes = await sql<(SendOutcome & { entered: readonly EnteredRow[] | null })[]>`
    SELECT outcome, id, sent_at_seconds, new_policy, entered
    FROM send_messages(
      ${realms}::bigint[], ${JSON.stringify(batch)}::text::jsonb,
      ${account?.firstSeq ?? null}::bigint, ${account?.size ?? null}::integer)`
  return { outcomes: [...outcomes], entered: outcomes[0]?.entered ?? null }
}

/**
 * Forgets what local IDs became, once no client can still be repeating its request.
 *
 * @returns how many were forgotten; fewer than `limit` when no more are due.
 */
export const forgetLocalIds = async (
  sql: Queries,
  olderThanHours: number,
  limit: number,
): Promise<number> => {
  const gone = await sql`
    DELETE FROM sent_local_ids WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM sent_local_ids WHERE sent_at < now() - make_interval(hours => ${olderThanHours})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return gone.count
}
