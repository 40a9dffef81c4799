import { type ReplyOf, refuse } from '@parley/contracts'
import type { sendMessage } from '@parley/contracts/channels/messages'
import type { UserFact } from '@parley/contracts/identity/topics'
import { isLimitedGuest, strangersOf } from '../directory/company.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Deps } from '../room.ts'
import { peopleReference, type Recipients } from './addressing.ts'
import { demandMayWriteTo } from './direct-permission.ts'
import { directMessageLinks } from './message-links.ts'
import { directMessage, type Writing } from './outgoing-message.ts'

/** Sends to people; to oneself too. */
export const sendDirectMessage = async (
  deps: Pick<Deps, 'database' | 'realms' | 'users' | 'conversations' | 'sender'>,
  writing: Writing,
  to: Recipients,
): Promise<ReplyOf<typeof sendMessage>> => {
  const { caller, sender } = writing
  const participants = await findParticipants(deps, sender, to)
  const ids = participants.map((user) => user.id)
  const realm = await deps.realms.get(caller.realm.id)
  await demandKnown(deps, realm, sender, ids)
  const recipientId = await deps.conversations.recipientId(caller.realm.id, ids)
  await demandMayWriteTo(deps, realm, sender, participants, recipientId)
  const sent = await deps.sender.send(directMessage(writing, participants, recipientId))
  if (sent.id === null) throw new Error(`a direct message was found ${sent.outcome}`)
  return { id: sent.id, ...directMessageLinks(caller.realm.url, participants, sent.id) }
}

/** Before anything is made of a conversation: having one is a way to know each other. @throws ApiError BAD_REQUEST */
const demandKnown = async (
  { database }: Pick<Deps, 'database'>,
  realm: Realm,
  sender: UserFact,
  ids: readonly number[],
): Promise<void> => {
  if (!isLimitedGuest(realm, sender)) return
  const [stranger] = await database.guard(strangersOf(database.sql, realm, sender.id, ids))
  if (stranger !== undefined) throw refuse('BAD_REQUEST', `Invalid user ID ${stranger}`)
}

/** The people of the conversation, the sender among them, in the order of IDs. */
const findParticipants = async (
  deps: Pick<Deps, 'users'>,
  sender: UserFact,
  to: Recipients,
): Promise<UserFact[]> => {
  const { ids, emails } = peopleReference(to)
  const byId = await deps.users.byIds(sender.realm_id, ids)
  const byEmail = await deps.users.byEmails(sender.realm_id, emails)
  const participants = new Map([[sender.id, sender]])
  const take = (user: UserFact | undefined, complaint: string): void => {
    if (user === undefined) throw refuse('BAD_REQUEST', complaint)
    if (!user.is_active) throw refuse('BAD_REQUEST', `'${user.email}' is no longer active here.`)
    participants.set(user.id, user)
  }
  for (const id of ids) take(byId.get(id), `Invalid user ID ${id}`)
  for (const email of emails) take(byEmail.get(email), `Invalid email '${email}'`)
  return [...participants.values()].sort((a, b) => a.id - b.id)
}
