import type { CallerRealm } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import { avatarUrl, everyoneCanMakeAvatarUrl } from '@parley/contracts/objects/avatar'
import { type MessagePresentation, shownChange, shownTopic } from '@parley/contracts/objects/message'
import { type Linkifier, renderTopicLinks } from '@parley/markdown'
import { areGuestsLimited, isLimitedGuest, strangersOf } from '../directory/company.ts'
import { maskedPerson } from '../directory/masked-people.ts'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import type { Realm } from '../directory/realm-store.ts'
import { escapedText, highlighted, type Search } from '../narrows/search.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import type { Deps, Queries } from '../room.ts'
import { shownHistory } from './edit-history.ts'
import { flagNames, flagsFor } from './message-flags.ts'
import type { ShownMessage } from './message-store.ts'
import { directRecipients } from './outgoing-message.ts'

/** Which texts of stored messages have to be read for a presentation. */
export const textsFor = (wants: MessagePresentation, searches: readonly Search[]) => ({
  raw: !wants.apply_markdown,
  rendered: wants.apply_markdown || searches.length > 0,
})

/**
 * Writes stored messages for one reader, as the JSON texts of `ListedMessage`; names and pictures of people are as they
 * are now. What `searches` look for is shown as found.
 */
export const messageTexts = async (
  deps: Pick<Deps, 'users' | 'realms'>,
  sql: Queries,
  realm: CallerRealm,
  readerId: number,
  messages: readonly ShownMessage[],
  wants: MessagePresentation,
  searches: readonly Search[] = [],
): Promise<string[]> => {
  const organization = await deps.realms.get(realm.id)
  const people = new Set(messages.flatMap((message) => [message.sender_id, ...(message.user_ids ?? [])]))
  const users = await peopleFor(deps, sql, realm, readerId, [...people])
  const write = messageWriter({ realm, organization, readerId, users, wants })
  const texts = messages.map(write)
  if (searches.length === 0) return texts
  const found = await foundIn(sql, searches, messages, wants)
  return texts.map((text, n) => `${text.slice(0, -1)},${JSON.stringify(found[n]).slice(1)}`)
}

/** What searches find in the texts of messages, as HTML. */
export const foundIn = async (
  sql: Queries,
  searches: readonly Search[],
  messages: readonly ShownMessage[],
  wants: Pick<MessagePresentation, 'empty_topic_name'>,
): Promise<{ match_content: string; match_subject: string }[]> => {
  const [contents, subjects] = await Promise.all([
    highlighted(
      sql,
      searches,
      messages.map((message) => message.rendered_content!),
    ),
    highlighted(
      sql,
      searches,
      messages.map((message) => escapedText(subjectOf(message, wants))),
    ),
  ])
  return contents.map((match_content, n) => ({ match_content, match_subject: subjects[n]! }))
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

/** Only channels have topics; the subject of a direct message is empty for every client. */
const subjectOf = (
  { channel_id, topic }: ShownMessage,
  wants: Pick<MessagePresentation, 'empty_topic_name'>,
): string => (channel_id === null ? topic : shownTopic(topic, wants))

/** Writes a thing once, however many messages of a page are about it. */
const once = <Thing, Key extends string | number>(
  keyOf: (thing: Thing) => Key,
  write: (thing: Thing) => string,
): ((thing: Thing) => string) => {
  const written = new Map<Key, string>()
  return (thing) => {
    const key = keyOf(thing)
    let text = written.get(key)
    if (text === undefined) {
      text = write(thing)
      written.set(key, text)
    }
    return text
  }
}

/** Fields of a JSON object, without its braces. */
const fieldsOf = (object: object): string => JSON.stringify(object).slice(1, -1)

/**
 * Writes message objects as text: most of one is what others of the page have too (its place, its sender, its topic), and
 * a page is written several times faster so than by way of an object per message.
 */
const messageWriter = ({
  realm,
  organization,
  readerId,
  users,
  wants,
}: {
  readonly realm: CallerRealm
  readonly organization: Realm
  readonly readerId: number
  readonly users: ReadonlyMap<number, UserFact>
  readonly wants: MessagePresentation
}): ((message: ShownMessage) => string) => {
  const policy = realmSetting(organization, 'message_edit_history_visibility_policy')
  const linkifiers: readonly Linkifier[] = linkifiersOf(organization)
  const place = once(
    (message: ShownMessage) => message.recipient_id,
    ({ channel_id, channel_name, user_ids, recipient_id }) =>
      fieldsOf(
        channel_id === null
          ? {
              type: 'private',
              display_recipient: directRecipients(user_ids!.map((id) => known(users, id))),
              recipient_id,
            }
          : { type: 'stream', stream_id: channel_id, display_recipient: channel_name, recipient_id },
      ),
  )
  const sender = once(
    (id: number) => id,
    (id) => {
      const { id: sender_id, email: sender_email, full_name: sender_full_name } = known(users, id)
      return fieldsOf({ sender_id, sender_email, sender_full_name, sender_realm_str: realm.subdomain })
    },
  )
  const picture = once(
    (id: number) => id,
    (id) => {
      const user = known(users, id)
      const isMadeByClient = wants.client_gravatar && everyoneCanMakeAvatarUrl(user)
      return JSON.stringify(isMadeByClient ? null : avatarUrl(user))
    },
  )
  const links = once(
    (topic: string) => topic,
    (topic) => JSON.stringify(renderTopicLinks(topic, linkifiers)),
  )
  const flags = once(
    (bits: number) => bits,
    (bits) => JSON.stringify(flagNames(bits)),
  )
  const client = once(
    (name: string) => name,
    (name) => JSON.stringify(name),
  )
  const contentType = JSON.stringify(wants.apply_markdown ? 'text/html' : 'text/x-markdown')

  return (message) => {
    const { sender_id, last_edited_at, last_moved_at, reactions, submessages } = message
    const edits = shownHistory(message.edit_history, policy)?.map((entry) => shownChange(entry, wants))
    const content = wants.apply_markdown ? message.rendered_content : message.content
    return `{"id":${message.id},${place(message)},${sender(sender_id)},"client":${client(message.client)},"is_me_message":${
      message.is_me_message
    },"timestamp":${message.sent_at}${last_edited_at === null ? '' : `,"last_edit_timestamp":${last_edited_at}`}${
      last_moved_at === null ? '' : `,"last_moved_timestamp":${last_moved_at}`
    },"reactions":${reactions === null ? '[]' : JSON.stringify(reactions)},"submessages":${
      submessages === null ? '[]' : JSON.stringify(submessages)
    },"topic_links":${links(message.topic)}${
      edits === undefined ? '' : `,"edit_history":${JSON.stringify(edits)}`
    },"subject":${JSON.stringify(subjectOf(message, wants))},"content":${JSON.stringify(
      content,
    )},"content_type":${contentType},"avatar_url":${picture(sender_id)},"flags":${flags(flagsFor(message, readerId))}}`
  }
}
