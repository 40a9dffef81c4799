/** Finds what the terms of a narrow name: channels, people, conversations, messages. */
import type { ChannelRow } from '../channels/channel-store.ts'
import { channelColumns } from '../channels/channel-store.ts'
import { findConversation } from '../messages/conversation-store.ts'
import { readableMessages } from '../messages/message-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel, mayReadChannel } from '../permissions/channel-permissions.ts'
import type { Deps, Queries } from '../room.ts'
import type { NarrowReader } from './narrow-plan.ts'
import { badNarrow, type Named, type Term } from './narrow-terms.ts'

type Plain = Exclude<Term, { operator: 'channel' | 'dm' | 'dm-including' | 'sender' | 'mentions' }>

/** A term with IDs in place of names. */
export type Found =
  | Plain
  | ({ readonly negated: boolean } & (
      | {
          readonly operator: 'channel'
          readonly channel: ChannelRow
          readonly isSubscribed: boolean
          readonly mayRead: boolean
        }
      /** Undefined when these people never wrote to each other. */
      | { readonly operator: 'dm'; readonly recipientId: number | undefined }
      | { readonly operator: 'dm-including'; readonly userIds: readonly number[] }
      | { readonly operator: 'sender' | 'mentions'; readonly userId: number }
    ))

/**
 * Looks up all names.
 *
 * @throws ApiError BAD_NARROW for whatever does not exist, or is hidden from the reader.
 */
export const lookUpTerms = async (
  deps: Pick<Deps, 'users'>,
  sql: Queries,
  reader: NarrowReader,
  terms: readonly Term[],
): Promise<Found[]> => {
  const found: Found[] = []
  for (const term of await followWith(sql, reader, terms)) {
    switch (term.operator) {
      case 'channel':
        found.push({ ...term, ...(await findChannel(sql, reader, term.channel)) })
        break
      case 'dm': {
        const userIds = await findPeople(deps, reader, term.people)
        const everybody = [...new Set([reader.person.id, ...userIds])].sort((a, b) => a - b)
        const recipientId =
          userIds.length === 0 ? undefined : await findConversation(sql, reader.realm.id, everybody)
        found.push({ operator: 'dm', negated: term.negated, recipientId })
        break
      }
      case 'dm-including':
        found.push({
          operator: term.operator,
          negated: term.negated,
          userIds: await findPeople(deps, reader, term.people),
        })
        break
      case 'sender':
      case 'mentions': {
        const [userId] = await findPeople(deps, reader, [term.person])
        found.push({ operator: term.operator, negated: term.negated, userId: userId! })
        break
      }
      default:
        found.push(term)
    }
  }
  return found
}

/**
 * `with` names a message for its conversation, wherever that is by now: it stands in place of the channel, topic or people
 * that are named besides, which were right when the address was written.
 */
const followWith = async (
  sql: Queries,
  { realm, person }: NarrowReader,
  terms: readonly Term[],
): Promise<Term[]> => {
  const [first, ...more] = terms.filter((term) => term.operator === 'with')
  if (first === undefined) return [...terms]
  if (more.length > 0) throw badNarrow("Duplicate 'with' operators.")
  if (first.negated) throw badNarrow("Invalid 'with' operator")
  const [message] = await readableMessages(sql, realm.id, person, [first.id])
  const places = new Set(['channel', 'topic', 'dm'])
  const others = terms.filter((term) => term !== first)
  if (message === undefined) {
    if (!others.some((term) => places.has(term.operator))) throw badNarrow("Invalid 'with' operator")
    return others
  }
  const rest = others.filter((term) => term.negated || !places.has(term.operator))
  const { channel_id, topic, user_ids } = message
  const place: Term[] =
    channel_id === null
      ? [{ operator: 'dm', people: user_ids!, negated: false }]
      : [
          { operator: 'channel', channel: channel_id, negated: false },
          { operator: 'topic', topic, negated: false },
        ]
  return [...place, ...rest]
}

const findChannel = async (
  sql: Queries,
  { realm, person }: NarrowReader,
  named: Named,
): Promise<{ channel: ChannelRow; isSubscribed: boolean; mayRead: boolean }> => {
  const name = typeof named === 'string' && !named.includes('\0') ? named : null
  const number = typeof named === 'number' || /^\d+$/.test(named) ? Number(named) : undefined
  const id = Number.isSafeInteger(number) ? number! : null
  // A name goes before an ID that looks like it.
  const [found] = await sql<(ChannelRow & { is_subscribed: boolean })[]>`
    SELECT ${channelColumns(sql)}, EXISTS (
        SELECT FROM subscription_periods p
        WHERE p.channel_id = c.id AND p.user_id = ${person.id} AND p.to_version IS NULL) AS is_subscribed
    FROM channels c
    WHERE c.realm_id = ${realm.id} AND (lower(c.name) = lower(${name}) OR c.id = ${id})
    ORDER BY lower(c.name) = lower(${name}) DESC NULLS LAST LIMIT 1`
  if (found === undefined) throw badNarrow('unknown channel')
  const { is_subscribed: isSubscribed, ...channel } = found
  if (!mayKnowChannel(person, channel, isSubscribed)) throw badNarrow('unknown channel')
  return { channel, isSubscribed, mayRead: mayReadChannel(person, channel, isSubscribed) }
}

/** IDs of the people named, in order; `me` is the reader. */
const findPeople = async (
  { users }: Pick<Deps, 'users'>,
  { realm, person }: { realm: { id: number }; person: Actor },
  named: readonly Named[],
): Promise<number[]> => {
  const wanted = named.map((one) => (one === 'me' ? person.id : one))
  const ids = wanted.filter((one) => typeof one === 'number')
  const emails = wanted.filter((one) => typeof one === 'string').map((email) => email.toLowerCase())
  const byId = await users.byIds(
    realm.id,
    ids.filter((id) => id !== person.id),
  )
  const byEmail = await users.byEmails(realm.id, emails)
  return wanted.map((one) => {
    if (one === person.id) return person.id
    const user = typeof one === 'number' ? byId.get(one) : byEmail.get(one.toLowerCase())
    if (user === undefined) throw badNarrow(`unknown user ${typeof one === 'number' ? 'id ' : ''}in ${one}`)
    return user.id
  })
}
