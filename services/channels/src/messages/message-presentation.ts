import type { CallerRealm } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import { avatarUrl, everyoneCanMakeAvatarUrl } from '@parley/contracts/objects/avatar'
import {
  type ListedMessage,
  type MessagePresentation,
  type MessageRecord,
  presentMessage,
} from '@parley/contracts/objects/message'
import { type Linkifier, renderTopicLinks } from '@parley/markdown'
import { areGuestsLimited, isLimitedGuest, strangersOf } from '../directory/company.ts'
import { maskedPerson } from '../directory/masked-people.ts'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import { escapedText, highlighted, type Search } from '../narrows/search.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import { type Attached, attachedTo } from '../reactions/reaction-store.ts'
import type { Deps, Queries } from '../room.ts'
import { type EditHistoryPolicy, shownHistory } from './edit-history.ts'
import { flagsFor } from './message-flags.ts'
import type { StoredMessage } from './message-store.ts'
import { directRecipients } from './outgoing-message.ts'

/**
 * Writes stored messages for one reader; names and pictures of people are as they are now. What `searches` look for is
 * shown as found.
 */
export const presentMessages = async (
  deps: Pick<Deps, 'users' | 'realms'>,
  sql: Queries,
  realm: CallerRealm,
  readerId: number,
  messages: readonly StoredMessage[],
  wants: MessagePresentation,
  searches: readonly Search[] = [],
): Promise<ListedMessage[]> => {
  const people = new Set(messages.flatMap((message) => [message.sender_id, ...(message.user_ids ?? [])]))
  const [users, attached] = await Promise.all([
    peopleFor(deps, sql, realm, readerId, [...people]),
    attachedTo(sql, messages),
  ])
  const organization = await deps.realms.get(realm.id)
  const policy = realmSetting(organization, 'message_edit_history_visibility_policy')
  const linkifiers = linkifiersOf(organization)
  const listed = messages.map((message) => ({
    ...presentMessage(messageRecord(realm, message, users, policy, attached, linkifiers), wants),
    flags: flagsFor(message, readerId),
  }))
  if (searches.length === 0) return listed
  const contents = await highlighted(
    sql,
    searches,
    messages.map((message) => message.rendered_content),
  )
  const subjects = await highlighted(
    sql,
    searches,
    listed.map((message) => escapedText(message.subject)),
  )
  return listed.map((message, place) => ({
    ...message,
    match_content: contents[place]!,
    match_subject: subjects[place]!,
  }))
}

/** The accounts as the reader may see them: limited guests are not told who strangers are. */
const peopleFor = async (
  { users, realms }: Pick<Deps, 'users' | 'realms'>,
  sql: Queries,
  realm: CallerRealm,
  readerId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, UserFact>> => {
  const settled = await realms.get(realm.id)
  if (!areGuestsLimited(settled)) return users.byIds(realm.id, ids)
  // Who reads without an account has the ID 0.
  const people = await users.byIds(realm.id, readerId > 0 ? [...ids, readerId] : ids)
  if (!isLimitedGuest(settled, people.get(readerId))) return people
  const strangers = await strangersOf(sql, settled, readerId, ids)
  return new Map([...people].map(([id, user]) => [id, strangers.has(id) ? maskedPerson(user, realm) : user]))
}

const known = (users: ReadonlyMap<number, UserFact>, id: number): UserFact => {
  const user = users.get(id)
  if (user === undefined) throw new Error(`identity does not know user ${id}, who has messages`)
  return user
}

const messageRecord = (
  realm: CallerRealm,
  message: StoredMessage,
  users: ReadonlyMap<number, UserFact>,
  policy: EditHistoryPolicy,
  attached: Attached,
  linkifiers: readonly Linkifier[],
): MessageRecord => {
  const sender = known(users, message.sender_id)
  const { channel_id, channel_name, user_ids } = message
  const edit_history = shownHistory(message.edit_history, policy)
  return {
    id: message.id,
    ...(channel_id === null
      ? {
          type: 'private' as const,
          display_recipient: directRecipients(user_ids!.map((id) => known(users, id))),
        }
      : { type: 'stream' as const, stream_id: channel_id, display_recipient: channel_name! }),
    subject: message.topic,
    recipient_id: message.recipient_id,
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.full_name,
    sender_realm_str: realm.subdomain,
    client: message.client,
    is_me_message: message.is_me_message,
    timestamp: message.sent_at,
    ...(message.last_edited_at === null ? {} : { last_edit_timestamp: message.last_edited_at }),
    ...(message.last_moved_at === null ? {} : { last_moved_timestamp: message.last_moved_at }),
    ...(edit_history === undefined ? {} : { edit_history }),
    reactions: attached.reactions.get(message.id) ?? [],
    submessages: attached.submessages.get(message.id) ?? [],
    topic_links: renderTopicLinks(message.topic, linkifiers),
    content: message.content,
    rendered_content: message.rendered_content,
    avatar_url: avatarUrl(sender),
    avatar_is_gravatar: everyoneCanMakeAvatarUrl(sender),
  }
}
