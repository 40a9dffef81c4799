import { currentTraceparent } from '@parley/bus'
import { type KnownCaller, type ReplyOf, refuse } from '@parley/contracts'
import type { sendMessage } from '@parley/contracts/channels/messages'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Deps } from '../room.ts'
import type { Recipients } from './addressing.ts'
import { demandMentionable, membersOfGroups } from './mentioned-groups.ts'
import { demandModestRendering, isReadBySender, messageContent } from './message-rules.ts'
import type { Writing } from './outgoing-message.ts'
import { renderText } from './render-text.ts'
import { sendDirectMessage } from './send-direct-message.ts'
import { sendToChannel } from './send-to-channel.ts'

/** A message that somebody wants to send, however the wish arrived. */
export interface Wish {
  readonly to: Recipients
  readonly isDirect: boolean
  readonly topic: string | undefined
  readonly content: string
  readonly readBySender: boolean | undefined
  readonly localName: Writing['localName']
}

/**
 * Sends a message in an account's name; every message goes through here.
 *
 * @throws ApiError of POST /messages.
 */
export const sendText = async (
  deps: Deps,
  caller: KnownCaller,
  sender: UserFact,
  wish: Wish,
): Promise<ReplyOf<typeof sendMessage>> => {
  const content = messageContent(wish.content)
  const { rendered } = await renderText(deps, caller.realm, content, caller.user)
  demandModestRendering(rendered.html)
  await demandMentionable(deps, rendered)
  const realm = await deps.realms.get(caller.realm.id)
  const writing: Writing = {
    caller,
    sender,
    content,
    rendered,
    calledInGroups: await membersOfGroups(deps, realm, rendered.mentions.groups),
    readBySender: isReadBySender(wish.readBySender, caller.user, caller.client),
    localName: wish.localName,
    traceparent: currentTraceparent(),
  }
  return wish.isDirect
    ? sendDirectMessage(deps, writing, wish.to)
    : sendToChannel(deps, writing, wish.to, wish.topic)
}

/** @throws ApiError BAD_REQUEST when there is no such account in the organization. */
export const demandSender = async (
  deps: Pick<Deps, 'users'>,
  realmId: number,
  userId: number,
): Promise<UserFact> => {
  const sender = (await deps.users.byIds(realmId, [userId])).get(userId)
  if (sender === undefined) throw refuse('BAD_REQUEST', 'Account does not exist')
  return sender
}
