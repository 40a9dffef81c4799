import { type KnownCaller, refuse } from '@parley/contracts'
import { isReadBySender } from '../messages/message-rules.ts'
import { demandSender, sendText } from '../messages/send-text.ts'
import type { Deps } from '../room.ts'
import { rehearsal, withSender } from '../scheduler/senders.ts'
import type { Planned } from './scheduled-message-store.ts'

/** A message as its author wants it. */
export interface Wanted {
  readonly isDirect: boolean
  /** A channel, or people. */
  readonly to: number | readonly number[]
  readonly topic: string | undefined
  readonly content: string
  readonly readBySender: boolean | undefined
}

/**
 * What is to be kept of a message that shall be sent later: as it would be sent now, by all rules of sending.
 *
 * @throws ApiError of POST /messages.
 */
export const planMessage = async (
  deps: Deps,
  caller: KnownCaller,
  wanted: Wanted,
): Promise<Omit<Planned, 'due_at'>> => {
  const sender = await demandSender(deps, caller.realm.id, caller.user.id)
  const attempt = rehearsal(deps.database)
  // What memory holds of the channel may be old; the rehearsal only finds that out, like the real sending.
  const readBySender = isReadBySender(wanted.readBySender, caller.user, caller.client)
  await sendText(withSender(deps, attempt), caller, sender, { ...wanted, readBySender, localName: undefined })
  const { message } = attempt
  if (message === undefined) throw refuse('BAD_REQUEST', 'The message could not be understood.')
  const others = (message.audience.users ?? []).filter((id) => id !== sender.id)
  const isToSelf = wanted.isDirect && others.length === 0
  return {
    type: wanted.isDirect ? 'private' : 'stream',
    recipients: wanted.isDirect ? (isToSelf ? [sender.id] : others) : [message.channel_id!],
    topic: message.topic,
    content: message.content,
    rendered_content: message.rendered_content,
    client: message.client,
    // What somebody sends to themselves later is meant to be news then.
    read_by_sender: wanted.readBySender ?? (readBySender && !isToSelf),
  }
}
