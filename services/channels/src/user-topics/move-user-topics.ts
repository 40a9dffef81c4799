/** What people want of a topic goes where the topic goes. */
import { mutedTopicsEvent, userTopicEvent } from '@parley/contracts/channels/events'
import type { VisibilityPolicy } from '@parley/contracts/objects/user-topic'
import type { Tx } from '@parley/kit'
import type { Queries } from '../room.ts'
import { mutedTopics } from './user-topic-changes.ts'
import { changedAt, dropPolicies, policiesOf, setPolicies, userTopicsOfAll } from './user-topic-store.ts'

interface Place {
  readonly channelId: number
  readonly topic: string
}

export interface TopicMove {
  readonly realmId: number
  readonly from: Place
  readonly to: Place
  /** There were messages where these came. */
  readonly isMerge: boolean
  /** Those of some people who may read where the topic is now. */
  readonly readersThere: (userIds: readonly number[]) => Promise<ReadonlySet<number>>
}

/** How much of a topic one wants to see: what is muted least. */
const rank: Record<VisibilityPolicy, number> = { 1: 0, 0: 1, 2: 2, 3: 3 }

/**
 * Of two topics that become one somebody sees what they wanted to see of either; where nothing was, the topic comes as it
 * was.
 */
export const policyAfter = (
  before: VisibilityPolicy,
  there: VisibilityPolicy,
  isMerge: boolean,
): VisibilityPolicy => (!isMerge || rank[before] > rank[there] ? before : there)

/** To be called once the messages are where they go. */
export const moveUserTopics = async (
  tx: Tx<typeof userTopicEvent | typeof mutedTopicsEvent>,
  move: TopicMove,
): Promise<void> => {
  const { from, to, realmId, isMerge } = move
  if (from.channelId === to.channelId && from.topic.toLowerCase() === to.topic.toLowerCase()) return
  const { sql } = tx
  const before = await policiesOf(sql, from.channelId, from.topic)
  const there = await policiesOf(sql, to.channelId, to.topic)
  const concerned = [...new Set([...before.keys(), ...there.keys()])]
  if (concerned.length === 0) return
  const readers = from.channelId === to.channelId ? new Set(concerned) : await move.readersThere(concerned)
  const changed = new Map<VisibilityPolicy, number[]>()
  for (const id of concerned) {
    const known = there.get(id) ?? 0
    const policy = policyAfter(readers.has(id) ? (before.get(id) ?? 0) : 0, known, isMerge)
    if (policy !== known) changed.set(policy, [...(changed.get(policy) ?? []), id])
  }
  await dropPolicies(sql, from.channelId, from.topic, [...before.keys()])
  for (const [policy, users] of changed) await setPolicies(sql, to.channelId, to.topic, users, policy)
  const last_updated = await changedAt(sql)
  await tellMuted(tx, realmId, [
    ...[...before].filter(([, policy]) => policy === 1).map(([id]) => id),
    ...[...changed].flatMap(([policy, users]) => users.filter((id) => policy === 1 || there.get(id) === 1)),
  ])
  const tell = (users: readonly number[], place: Place, visibility_policy: VisibilityPolicy): void => {
    if (users.length === 0) return
    tx.emit(
      userTopicEvent,
      { realm: realmId, users: [...users] },
      { stream_id: place.channelId, topic_name: place.topic, last_updated, visibility_policy },
    )
  }
  tell([...before.keys()], from, 0)
  for (const [policy, users] of changed) tell(users, to, policy)
}

/** The legacy event is a list of one's own. */
const tellMuted = async (
  tx: Tx<typeof mutedTopicsEvent>,
  realmId: number,
  userIds: readonly number[],
): Promise<void> => {
  const users = [...new Set(userIds)]
  if (users.length === 0) return
  const topics = await userTopicsOfAll(tx.sql as Queries, users)
  for (const id of users) {
    tx.emit(
      mutedTopicsEvent,
      { realm: realmId, users: [id] },
      { muted_topics: mutedTopics(topics.get(id) ?? []) },
    )
  }
}
