/** Which bots a message is for; no I/O. */
import { botTypes } from '@parley/contracts'
import type { MessageFact } from '@parley/contracts/channels/topics'
import type { Trigger } from '@parley/contracts/webhook-dispatcher/deliveries'

/**
 * The accounts that a message would trigger if they were outgoing-webhook bots: who is in the direct conversation, or who
 * is mentioned by name in a channel. Silent mentions and wildcards are not among those mentioned.
 */
export const candidates = ({
  message,
  mentioned_user_ids,
}: MessageFact): { trigger: Trigger; ids: number[] } => {
  const recipients = message.display_recipient
  const [trigger, ids]: [Trigger, number[]] =
    typeof recipients === 'string'
      ? ['mention', mentioned_user_ids]
      : ['direct_message', recipients.map(({ id }) => id)]
  return { trigger, ids: [...new Set(ids)].filter((id) => id !== message.sender_id) }
}

/** Those of `ids` to tell. A message of a bot, or of somebody unknown, triggers nobody: bots must not talk in circles. */
export const triggeredBots = (
  senderId: number,
  ids: readonly number[],
  kinds: ReadonlyMap<number, number | null>,
): number[] =>
  kinds.get(senderId) === null ? ids.filter((id) => kinds.get(id) === botTypes.outgoingWebhook) : []
