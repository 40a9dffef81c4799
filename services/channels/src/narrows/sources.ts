/**
 * Where the messages of a narrow can be at all. Whatever decides by the conversation, or by the topic, chooses here which
 * indexes are probed; asked of each message, it would read through whole histories to find the few that fit.
 */
import type { Actor } from '../permissions/actor.ts'
import type { Queries } from '../room.ts'
import { directHistory, type History, type Stretch } from './history.ts'
import type { NarrowReader } from './narrow-plan.ts'
import type { Found } from './narrow-references.ts'
import { channelsOfKind } from './public-history.ts'

/** A part of a history to be searched: whole conversations or, `byTopic`, a topic of each. */
export interface Source {
  readonly history: History
  readonly byTopic?: boolean
}

/** Leaves out the conversations in which no message can be what the terms say. */
export const prunedHistory = async (
  sql: Queries,
  reader: NarrowReader,
  terms: readonly Found[],
  history: History,
): Promise<History> => {
  let left = history
  for (const term of terms) {
    const isIn = await placeOf(sql, reader, term)
    if (isIn !== undefined) left = left.filter((stretch) => isIn(stretch) !== term.negated)
  }
  return left
}

type Place = (stretch: Stretch) => boolean

/** Which conversations a term is about; undefined where it is about messages. */
const placeOf = async (
  sql: Queries,
  { realm, person }: NarrowReader,
  term: Found,
): Promise<Place | undefined> => {
  switch (term.operator) {
    case 'channel':
      return ({ recipient_id }) => recipient_id === term.channel.recipient_id
    case 'channels': {
      const channels = await channelsOfKind(sql, realm.id, term.kind)
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
    return [{ history: channels.map((stretch) => ({ ...stretch, topic: topic.topic })), byTopic: true }]
  }
  const isOf = (kind: 'followed' | 'muted', negated: boolean) =>
    terms.some((term) => term.operator === 'is' && term.kind === kind && term.negated === negated)
  if (isOf('followed', false)) {
    const topics = (await chosenTopics(sql, person.id)).filter(({ policy }) => policy === 3)
    return [inTopics(history, topics)]
  }
  const isMuted = isOf('muted', false)
  const isHome =
    isOf('muted', true) ||
    terms.some((term) => term.operator === 'in' && term.kind === 'home' && !term.negated)
  if (!isMuted && !isHome) return [{ history }]
  const muted = await mutedChannels(sql, person.id)
  const topics = await chosenTopics(sql, person.id)
  const isInMuted = (id: number | null): boolean => id !== null && muted.has(id)
  // Of muted channels all but the topics that are shown all the same, and of the others the muted topics; or the reverse.
  const exceptions = topics.filter(({ channel_id, policy }) =>
    isMuted ? policy === 1 && !isInMuted(channel_id) : policy !== 1 && isInMuted(channel_id),
  )
  return [
    { history: history.filter(({ channel_id }) => isInMuted(channel_id) === isMuted) },
    inTopics(history, exceptions),
  ]
}

interface ChosenTopic {
  readonly channel_id: number
  readonly topic: string
  /** 1 muted, 2 unmuted, 3 followed. */
  readonly policy: number
}

const inTopics = (history: History, topics: readonly ChosenTopic[]): Source => {
  const byChannel = Map.groupBy(topics, ({ channel_id }) => channel_id)
  const parts = history.flatMap((stretch) =>
    (byChannel.get(stretch.channel_id ?? 0) ?? []).map(({ topic }) => ({ ...stretch, topic })),
  )
  return { history: parts, byTopic: true }
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
