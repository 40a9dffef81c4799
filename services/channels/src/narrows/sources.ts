/**
 * Where the messages of a narrow can be at all. Whatever decides by the conversation, or by the topic, chooses here which
 * indexes are probed; asked of each message, it would read through whole histories to find the few that fit.
 */
import type { Actor } from '../permissions/actor.ts'
import type { Queries } from '../room.ts'
import { directHistory, type History, type Stretch } from './history.ts'
import type { NarrowReader } from './narrow-plan.ts'
import type { Found } from './narrow-references.ts'
import type { ChannelsOfKind } from './public-history.ts'

/** A part of a history to be searched: whole conversations or, `byTopic`, a topic of each. */
export interface Source {
  readonly history: History
  readonly byTopic?: boolean
  /** Of which terms every message of the part is what they say; of others each message is asked. */
  readonly implies: (term: Found) => boolean
}

const nothing = (): boolean => false

/** Leaves out the conversations in which no message can be what the terms say. */
export const prunedHistory = async (
  sql: Queries,
  reader: NarrowReader,
  terms: readonly Found[],
  history: History,
  kindsOf: ChannelsOfKind,
): Promise<History> => {
  let left = history
  for (const term of terms) {
    const isIn = await placeOf(sql, reader, term, kindsOf)
    if (isIn !== undefined) left = left.filter((stretch) => isIn(stretch) !== term.negated)
  }
  return left
}

type Place = (stretch: Stretch) => boolean

/** Which conversations a term is about; undefined where it is about messages. */
const placeOf = async (
  sql: Queries,
  { person }: NarrowReader,
  term: Found,
  kindsOf: ChannelsOfKind,
): Promise<Place | undefined> => {
  switch (term.operator) {
    case 'channel':
      return ({ recipient_id }) => recipient_id === term.channel.recipient_id
    case 'channels': {
      const channels = await kindsOf(term.kind)
      const ids = new Set(channels.map((channel) => channel.id))
      return ({ channel_id }) => channel_id !== null && ids.has(channel_id)
    }
    case 'dm':
      return ({ recipient_id }) => recipient_id === term.recipientId
    case 'dm-including': {
      const conversations = await directHistory(sql, person, term.userIds)
      const ids = new Set(conversations.map((stretch) => stretch.recipient_id))
      return ({ recipient_id }) => ids.has(recipient_id)
    }
    case 'is':
      return term.kind === 'dm' ? ({ channel_id }) => channel_id === null : undefined
    default:
      return undefined
  }
}

/** What decides by topics: the first such term chooses, the others are asked of each message. */
export const sourcesOf = async (
  sql: Queries,
  person: Actor,
  terms: readonly Found[],
  history: History,
): Promise<Source[]> => {
  const topic = terms.find((term) => term.operator === 'topic' && !term.negated)
  if (topic?.operator === 'topic') {
    const channels = history.filter(({ channel_id }) => channel_id !== null)
    const inTopic = channels.map((stretch) => ({ ...stretch, topic: topic.topic }))
    return [{ history: inTopic, byTopic: true, implies: (term) => term === topic }]
  }
  const isOf = (term: Found, kind: 'followed' | 'muted', negated: boolean): boolean =>
    term.operator === 'is' && term.kind === kind && term.negated === negated
  const isForFollowed = (term: Found): boolean => isOf(term, 'followed', false)
  if (terms.some(isForFollowed)) {
    const topics = (await chosenTopics(sql, person.id)).filter(({ policy }) => policy === 3)
    return [inTopics(history, topics, isForFollowed)]
  }
  const isForMuted = (term: Found): boolean => isOf(term, 'muted', false)
  const isForHome = (term: Found): boolean =>
    isOf(term, 'muted', true) || (term.operator === 'in' && term.kind === 'home' && !term.negated)
  const isMuted = terms.some(isForMuted)
  if (!isMuted && !terms.some(isForHome)) return [{ history, implies: nothing }]
  const implies = isMuted ? isForMuted : isForHome
  const [muted, topics] = await Promise.all([mutedChannels(sql, person.id), chosenTopics(sql, person.id)])
  const isInMuted = (id: number | null): boolean => id !== null && muted.has(id)
  // Of muted channels all but the topics that are shown all the same, and of the others the muted topics; or the reverse.
  const isWanted = ({ policy }: ChosenTopic): boolean => (policy === 1) === isMuted
  const additions = topics.filter((one) => isWanted(one) && isInMuted(one.channel_id) !== isMuted)
  const unwanted = topics.filter((one) => !isWanted(one) && isInMuted(one.channel_id) === isMuted)
  const withUnwanted = new Set<number | null>(unwanted.map(({ channel_id }) => channel_id))
  const chosen = history.filter(({ channel_id }) => isInMuted(channel_id) === isMuted)
  const [mixed, whole] = [true, false].map((isMixed) =>
    chosen.filter(({ channel_id }) => withUnwanted.has(channel_id) === isMixed),
  )
  return [
    { history: whole!, implies },
    { history: mixed!, implies: nothing },
    inTopics(history, additions, implies),
  ]
}

interface ChosenTopic {
  readonly channel_id: number
  readonly topic: string
  /** 1 muted, 2 unmuted, 3 followed. */
  readonly policy: number
}

const inTopics = (history: History, topics: readonly ChosenTopic[], implies: Source['implies']): Source => {
  const byChannel = Map.groupBy(topics, ({ channel_id }) => channel_id)
  const parts = history.flatMap((stretch) =>
    (byChannel.get(stretch.channel_id ?? 0) ?? []).map(({ topic }) => ({ ...stretch, topic })),
  )
  return { history: parts, byTopic: true, implies }
}

const chosenTopics = (sql: Queries, readerId: number): Promise<ChosenTopic[]> =>
  sql<ChosenTopic[]>`
    SELECT channel_id, topic, visibility_policy AS policy FROM user_topics
    WHERE user_id = ${readerId} AND visibility_policy <> 0`

const mutedChannels = async (sql: Queries, readerId: number): Promise<ReadonlySet<number>> => {
  const rows = await sql<{ channel_id: number }[]>`
    SELECT channel_id FROM subscriptions WHERE user_id = ${readerId} AND is_muted`
  return new Set(rows.map((row) => row.channel_id))
}
