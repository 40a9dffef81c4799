import { currentTraceparent } from '@parley/bus'
import { type KnownCaller, type ReplyOf, refuse } from '@parley/contracts'
import type { sendMessage } from '@parley/contracts/channels/messages'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Deps } from '../room.ts'
import { wishesOfMentioned, wishesOfSender } from '../user-topics/automatic-policies.ts'
import type { Recipients } from './addressing.ts'
import { demandMentionable, membersOfGroups } from './mentioned-groups.ts'
import { demandModestRendering, isReadBySender, messageContent } from './message-rules.ts'
import type { Writing } from './outgoing-message.ts'
import { renderText } from './render-text.ts'
import { sendDirectMessage } from './send-direct-message.ts'
import { sendToChannel } from './send-to-channel.ts'
import { givenWidget, namedWidget } from './widget-of-message.ts'

/** A message that somebody wants to send, however the wish arrived. */
export interface Wish {
  readonly to: Recipients
  readonly isDirect: boolean
  readonly topic: string | undefined
  readonly content: string
  /** JSON text, as the parameter of POST /messages. */
  readonly widgetContent?: string | undefined
  readonly readBySender: boolean | undefined
  /** It is read from the start for everybody but these; undefined for what is news. */
  readonly newsFor?: readonly number[] | undefined
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
  const widget = givenWidget(wish.widgetContent) ?? namedWidget(content)
  const { rendered } = await renderText(deps, caller.realm, content, {
    author: caller.user,
    place: typeof wish.to === 'number' ? wish.to : undefined,
  })
  demandModestRendering(rendered.html)
  await demandMentionable(deps, rendered)
  const realm = await deps.realms.get(caller.realm.id)
  const people = await deps.personal.of(realm.id)
  const { users: named } = rendered.mentions
  const mentioned = named.length === 0 ? [] : [...(await deps.users.byIds(realm.id, named)).values()]
  const writing: Writing = {
    caller,
    sender,
    content,
    rendered,
    calledInGroups: await membersOfGroups(deps, realm, rendered.mentions.groups),
    alerted: people.alertedBy(rendered),
    muters: people.mutersOf(sender.id),
    wishes: [...wishesOfSender(people, sender), ...wishesOfMentioned(people, mentioned)],
    widget,
    readBySender: isReadBySender(wish.readBySender, caller.user, caller.client),
    newsFor: wish.newsFor,
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
