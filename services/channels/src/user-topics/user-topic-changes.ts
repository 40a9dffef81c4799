import { mutedTopicsEvent, userTopicEvent } from '@parley/contracts/channels/events'
import type { MutedTopic, VisibilityPolicy } from '@parley/contracts/objects/user-topic'
import type { Tx } from '@parley/kit'
import type { z } from 'zod'
import { type StoredUserTopic, setUserTopic, userTopicsOf } from './user-topic-store.ts'

/** Those that are muted, in the legacy form. */
export const mutedTopics = (topics: readonly StoredUserTopic[]): z.infer<typeof MutedTopic>[] =>
  topics
    .filter((topic) => topic.visibility_policy === 1)
    .map((topic) => [topic.channel_name, topic.topic_name, topic.last_updated])

/**
 * Sets what a user wants of one topic, and tells the user's clients if that is new. The organization's order is held by the
 * caller: all muted topics are told at once, so that the last that is told has to hold every change before it, and sends
 * change policies under it.
 */
export const changeUserTopic = async (
  tx: Tx<typeof userTopicEvent | typeof mutedTopicsEvent>,
  user: { readonly realmId: number; readonly id: number },
  wish: {
    readonly stream_id: number
    readonly topic_name: string
    readonly visibility_policy: VisibilityPolicy
  },
): Promise<void> => {
  const { stream_id, topic_name, visibility_policy } = wish
  const last_updated = await setUserTopic(tx.sql, user.id, stream_id, topic_name, visibility_policy)
  if (last_updated === undefined) return
  const audience = { realm: user.realmId, users: [user.id] }
  const muted_topics = mutedTopics(await userTopicsOf(tx.sql, user.id))
  tx.emit(mutedTopicsEvent, audience, { muted_topics })
  tx.emit(userTopicEvent, audience, { stream_id, topic_name, last_updated, visibility_policy })
}
