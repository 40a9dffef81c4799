/**
 * Who may read which message. This is the only place that says so: listings, single messages, and whatever is done to a
 * message go through it.
 */
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayReadChannel } from '../permissions/channel-permissions.ts'

/** What of a channel decides about its history. */
export type HistoryRules = Pick<
  ChannelRow,
  'invite_only' | 'is_web_public' | 'history_public_to_subscribers' | 'group_settings'
>

/** How a reader stands to a channel, and to one message in it. */
export interface ReaderStanding {
  /** Now. */
  readonly isSubscribed: boolean
  /** Whether the message was sent to the reader: a period of subscription covers it. */
  readonly wasRecipient: boolean
}

/**
 * Whether somebody may read a message of a channel. Having received it is not enough: who has left a private channel reads
 * nothing of it any more. Being subscribed is not enough either where the history is protected: then only what was sent
 * while the reader was subscribed can be read.
 */
export const mayReadMessage = (reader: Actor, channel: HistoryRules, standing: ReaderStanding): boolean =>
  mayReadChannel(reader, channel, standing.isSubscribed) &&
  (!channel.invite_only || channel.history_public_to_subscribers || standing.wasRecipient)
