import type { CallerRealm, CallerUser } from '@parley/contracts'
import { channelMessageLinks, directMessageLinks } from '../messages/message-links.ts'
import { readableMessages } from '../messages/message-store.ts'
import { findActor } from '../permissions/find-actor.ts'
import type { Deps } from '../room.ts'
import type { Target } from './reminder-text.ts'

/** A message as its reader may see it now; undefined when it is hidden or gone. */
export const reminderTarget = async (
  deps: Pick<Deps, 'database' | 'users' | 'realms'>,
  realm: CallerRealm,
  reader: CallerUser,
  messageId: number,
): Promise<Target | undefined> => {
  const { database, users } = deps
  const actor = await findActor(deps, reader, await deps.realms.get(realm.id))
  const [message] = await database.guard(readableMessages(database.sql, realm.id, actor, [messageId]))
  if (message === undefined) return undefined
  const people = await users.byIds(realm.id, [message.sender_id, ...(message.user_ids ?? [])])
  const sender = people.get(message.sender_id)
  if (sender === undefined) return undefined
  if (message.channel_id !== null) {
    const channel = { id: message.channel_id, name: message.channel_name! }
    const links = channelMessageLinks(realm.url, channel, message.topic, messageId)
    return { sender, url: links.message_url, place: `in ${links.message_link}`, content: message.content }
  }
  const participants = message.user_ids!.flatMap((id) => people.get(id) ?? [])
  const { message_url } = directMessageLinks(realm.url, participants, messageId)
  const others = participants.filter((user) => user.id !== sender.id)
  const named = (others.length === 0 ? participants : others).map(
    (user) => `@_**${user.full_name}|${user.id}**`,
  )
  return { sender, url: message_url, place: `to ${named.join(', ')}`, content: message.content }
}
