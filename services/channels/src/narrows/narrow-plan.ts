/** Which history a narrow searches, and in which way: terms that name things become conditions on messages. */
import type { CallerRealm } from '@parley/contracts'
import type { Narrow } from '@parley/contracts/channels/narrow'
import type { Actor } from '../permissions/actor.ts'
import type { Deps, Queries } from '../room.ts'
import {
  bitsOf,
  type FlaggedKind,
  flaggedHits,
  hasOwnFlag,
  hasTopic,
  isReadUpToMark,
  isResolved,
  isUnread,
  isUnreadAfterMark,
  mentionsEverybody,
  readExceptionHits,
  unreadExceptionHits,
  wasReceivedBy,
} from './conditions.ts'
import {
  conversationHistory,
  directHistory,
  type History,
  type OwnHistory,
  ownHistory,
  personalHistory,
  readableTo,
  sharedHistory,
} from './history.ts'
import { type Found, lookUpTerms } from './narrow-references.ts'
import { readTerm } from './narrow-terms.ts'
import type { Condition, Way } from './nearest.ts'
import { type ChannelsOfKind, channelsOfKinds } from './public-history.ts'
import { isFound, type Search, searchFor, searchHits } from './search.ts'
import { prunedHistory, type Source, sourcesOf } from './sources.ts'
import { isFollowed, isInMutedPlace } from './visibility.ts'

/** What a reader asked for, ready to be searched. */
export interface NarrowPlan {
  readonly ways: readonly Way[]
  /** What is looked for in texts, for highlighting. */
  readonly searches: readonly Search[]
  /** The same narrow, but only what is unread; found out when it is asked for. */
  unreadWays(): Promise<readonly Way[]>
}

export interface NarrowReader {
  readonly realm: CallerRealm
  /** Whoever asks without an account reads as {@link nobody}. */
  readonly person: Actor
}

/**
 * Reads what a narrow will most likely search, while it is being found out who the reader is: a narrow that names no
 * place searches the reader's own history. For {@link planNarrow}.
 */
export const readAhead = (
  sql: Queries,
  readerId: number | undefined,
  narrow: Narrow,
): Promise<OwnHistory> | undefined => {
  const namesPlace = (term: Narrow[number]): boolean =>
    term.negated !== true && !namesNoPlace.test(JSON.stringify(term))
  if (readerId === undefined || narrow.some(namesPlace)) return undefined
  const reading = ownHistory(sql, readerId)
  // Who is refused does not wait for it.
  reading.catch(() => {})
  return reading
}

/** A guess: the terms are only read when the reader is known. */
const namesNoPlace = /"(?:is|has|in|sender|from|search)"(?!.*"(?:dm|private)")/

/**
 * Plans a narrow for one reader. `ahead`: what was read of the reader's own history before.
 *
 * @throws ApiError BAD_NARROW.
 */
export const planNarrow = async (
  deps: Pick<Deps, 'users'>,
  sql: Queries,
  reader: NarrowReader,
  narrow: Narrow,
  ahead?: Promise<OwnHistory>,
): Promise<NarrowPlan> => {
  const terms = await lookUpTerms(deps, sql, reader, narrow.map(readTerm))
  const { person } = reader
  const searches: Search[] = []
  const byTerm = new Map<Found, Search>()
  for (const term of terms) {
    if (term.operator !== 'search') continue
    const search = await searchFor(sql, term.text)
    byTerm.set(term, search)
    if (!term.negated) searches.push(search)
  }
  const conditionsBut = (isImplied: (term: Found) => boolean): Condition[] =>
    terms.flatMap((term) => {
      if (isImplied(term)) return []
      const condition = conditionOf(sql, person, term, byTerm)
      if (condition === undefined) return []
      return [term.negated ? sql`NOT (${condition})` : condition]
    })
  const kindsOf = channelsOfKinds(sql, reader.realm.id)
  const whole = await historyOf(sql, reader, terms, kindsOf, ahead)
  const history = await prunedHistory(sql, reader, terms, whole, kindsOf)
  const asked = { terms, history, conditionsBut }
  return {
    searches,
    ways: await waysOf(sql, reader, asked, searches),
    async unreadWays() {
      const own = isPersonal(terms) ? history : await personalPart(sql, person, history)
      return unreadWaysOf(sql, person, await sourcesOf(sql, person, terms, own), { ...asked, history: own })
    },
  }
}

/** What the ways to a narrow's messages are made of. */
interface Asked {
  readonly terms: readonly Found[]
  readonly history: History
  /** What the terms say, but for those of which the way to the messages says the same. */
  conditionsBut(isImplied: (term: Found) => boolean): Condition[]
}

/** What most messages are not: a page of it is not among the latest of all. */
const isOfFew = (term: Found): boolean => {
  if (term.negated) return false
  if (term.operator === 'is') return term.kind !== 'unread'
  return ['has', 'sender', 'topic'].includes(term.operator)
}

const isUnreadTerm = (term: Found): boolean => term.operator === 'is' && term.kind === 'unread'
const nothing = (): boolean => false

/** Terms that are about what somebody received: they are asked of the personal history even within a channel. */
const isPersonal = (terms: readonly Found[]): boolean =>
  terms.some(
    (term) => term.operator === 'is' && !['resolved', 'followed', 'dm'].includes(term.kind) && !term.negated,
  )

const historyOf = async (
  sql: Queries,
  { person }: NarrowReader,
  terms: readonly Found[],
  kindsOf: ChannelsOfKind,
  ahead: Promise<OwnHistory> | undefined,
): Promise<History> => {
  for (const term of terms) {
    if (term.negated) continue
    if (term.operator === 'channel') {
      return isPersonal(terms) || !term.mayRead
        ? personalHistory(sql, person, [term.channel.id])
        : sharedHistory(sql, person, [term.channel], new Set(term.isSubscribed ? [term.channel.id] : []))
    }
    if (term.operator === 'dm') {
      return term.recipientId === undefined ? [] : conversationHistory(sql, person, term.recipientId)
    }
    if (term.operator === 'dm-including') return directHistory(sql, person, term.userIds)
    if (term.operator === 'is' && term.kind === 'dm') return directHistory(sql, person)
    if (term.operator === 'channels') {
      const channels = await kindsOf(term.kind)
      return isPersonal(terms)
        ? personalHistory(
            sql,
            person,
            channels.map((channel) => channel.id),
          )
        : sharedHistory(sql, person, channels)
    }
  }
  return readableTo(person, await (ahead ?? ownHistory(sql, person.id)))
}

/** Of a shared history, what was sent to the reader: nothing else can be unread. */
const personalPart = async (sql: Queries, person: Actor, history: History): Promise<History> => {
  const channelIds = history.flatMap(({ channel_id }) => (channel_id === null ? [] : [channel_id]))
  const direct = history.filter(({ channel_id }) => channel_id === null)
  return [...direct, ...(channelIds.length === 0 ? [] : await personalHistory(sql, person, channelIds))]
}

const conditionOf = (
  sql: Queries,
  person: Actor,
  term: Found,
  searches: ReadonlyMap<Found, Search>,
): Condition | undefined => {
  switch (term.operator) {
    // Which conversations these are about is said by the history (sources.ts).
    case 'channel':
    case 'channels':
    case 'dm':
    case 'dm-including':
      return undefined
    case 'topic':
      return hasTopic(sql, term.topic)
    case 'sender':
      return sql`m.sender_id = ${term.userId}`
    case 'mentions':
      return hasOwnFlag(sql, term.userId, bitsOf.mentioned & 8)
    case 'is':
      return isOfKind(sql, person, term.kind)
    case 'has':
      return hasKind(sql, term.kind)
    case 'in':
      return term.kind === 'all' ? undefined : sql`NOT (${isInMutedPlace(sql, person.id)})`
    case 'id':
      return sql`m.id = ${term.id}`
    case 'near':
    case 'with':
      return undefined
    case 'search':
      return isFound(sql, searches.get(term)!)
  }
}

const hasKind = (sql: Queries, kind: Extract<Found, { operator: 'has' }>['kind']): Condition => {
  switch (kind) {
    case 'link':
      return sql`m.has_link`
    case 'image':
      return sql`m.has_image`
    case 'attachment':
      return sql`m.has_attachment`
    case 'reaction':
      return sql`m.has_reaction`
  }
}

const isOfKind = (
  sql: Queries,
  { id }: Actor,
  kind: Extract<Found, { operator: 'is' }>['kind'],
): Condition | undefined => {
  switch (kind) {
    case 'dm':
      return undefined
    case 'starred':
    case 'alerted':
      return hasOwnFlag(sql, id, bitsOf[kind])
    case 'mentioned':
      return sql`(${hasOwnFlag(sql, id, bitsOf.mentioned)}
        OR (${mentionsEverybody(sql)} AND ${wasReceivedBy(sql, id)}))`
    case 'unread':
      return isUnread(sql, id)
    case 'resolved':
      return isResolved(sql)
    case 'followed':
      return isFollowed(sql, id)
    case 'muted':
      return isInMutedPlace(sql, id)
  }
}

/** The cheapest ways: an ID, the reader's few flagged messages, words; else the indexes of conversations. */
const waysOf = async (
  sql: Queries,
  { realm, person }: NarrowReader,
  asked: Asked,
  searches: readonly Search[],
): Promise<Way[]> => {
  const { terms, history } = asked
  const wanted = terms.filter((term) => !term.negated)
  const way = (found: Omit<Way, 'history' | 'conditions'>): Way => ({
    ...{ history, conditions: asked.conditionsBut(nothing) },
    ...found,
  })
  const byId = wanted.find((term) => term.operator === 'id')
  if (byId !== undefined) return [way({ hits: sql`m.id = ${byId.id}` })]
  for (const term of wanted) {
    if (term.operator === 'mentions') return [way(flaggedHits(sql, term.userId, 'mentioned'))]
    if (term.operator !== 'is') continue
    const { kind } = term
    if (kind === 'mentioned') {
      const conditions = asked.conditionsBut((one) => one === term)
      return [
        { history, conditions, ...flaggedHits(sql, person.id, kind) },
        { history, conditions: [mentionsEverybody(sql), ...conditions], isRare: true },
      ]
    }
    if (kind === 'starred' || kind === 'alerted')
      return [way(flaggedHits(sql, person.id, kind satisfies FlaggedKind))]
  }
  const [search] = searches
  if (search !== undefined) {
    const only = history.length === 1 ? history[0]!.recipient_id : undefined
    const scope = { realmId: realm.id, ...(only === undefined ? {} : { recipientId: only }) }
    const hits = searchHits(sql, search, scope)
    return [way({ ...(hits === undefined ? {} : { hits }), mayBeMany: true })]
  }
  const isRare = terms.some(isOfFew)
  const sources = (await sourcesOf(sql, person, terms, history)).map((source) => ({ ...source, isRare }))
  const unread = terms.filter(isUnreadTerm)
  if (unread.length === 1) {
    if (!unread[0]!.negated) return unreadWaysOf(sql, person, sources, asked)
    // Of a shared history, what was not sent to the reader is after no mark.
    const isShared = wanted.some((term) => term.operator === 'channel' || term.operator === 'channels')
    if (!isShared) return readWaysOf(sql, person, sources, asked)
  }
  return sources.map((source) => ({ ...source, conditions: asked.conditionsBut(source.implies) }))
}

/** What is unread of a personal history: all after the marks, and the exceptions before them. */
const unreadWaysOf = (
  sql: Queries,
  person: Actor,
  sources: readonly (Source & Pick<Way, 'isRare'>)[],
  { history, conditionsBut }: Asked,
): Way[] => {
  const isThis = (term: Found): boolean => isUnreadTerm(term) && !term.negated
  const othersIn = (source: Source): Condition[] =>
    conditionsBut((term) => isThis(term) || source.implies(term))
  return [
    ...sources.map(
      (source): Way => ({
        ...source,
        part: 'after marks',
        conditions: [isUnreadAfterMark(sql, person.id), ...othersIn(source)],
      }),
    ),
    { history, conditions: conditionsBut(isThis), hits: unreadExceptionHits(sql, person.id) },
  ]
}

/** What is read of a personal history: all before the marks and, of the rest, the few that are for a reason of their own. */
const readWaysOf = async (
  sql: Queries,
  person: Actor,
  sources: readonly (Source & Pick<Way, 'isRare'>)[],
  { history, conditionsBut }: Asked,
): Promise<Way[]> => {
  const isThis = (term: Found): boolean => isUnreadTerm(term) && term.negated
  const othersIn = (source: Source): Condition[] =>
    conditionsBut((term) => isThis(term) || source.implies(term))
  const others = conditionsBut(isThis)
  const isRead = sql`NOT ${isUnreadAfterMark(sql, person.id)}`
  const after = (reason: Condition): Way => ({
    ...{ history, part: 'after marks', isRare: true, conditions: [reason, isRead, ...others] },
  })
  const [muted] = await sql<{ ids: number[] | null }[]>`
    SELECT array_agg(sender_id) AS ids FROM muted_senders WHERE user_id = ${person.id}`
  return [
    ...sources.map(
      (source): Way => ({
        ...source,
        part: 'up to marks',
        conditions: [isReadUpToMark(sql, person.id), ...othersIn(source)],
      }),
    ),
    { history, conditions: others, hits: readExceptionHits(sql, person.id) },
    after(sql`m.sender_id = ${person.id}`),
    after(sql`m.received_version IS NOT NULL`),
    after(sql`m.is_quiet`),
    // Most people mute nobody; without a name there would be nothing to search by.
    ...(muted!.ids === null ? [] : [after(sql`m.sender_id = ANY (${muted!.ids}::bigint[])`)]),
  ]
}
