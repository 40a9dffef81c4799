import type { KnownCaller } from '@parley/contracts'
import type { mutedTopicsEvent, userTopicEvent } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import type { StoredMessage } from '../messages/message-store.ts'
import type { Deps } from '../room.ts'
import { wishesOfParticipant } from './automatic-policies.ts'
import { changeUserTopic } from './user-topic-changes.ts'
import { isChannelMutedBy, userTopicPolicy } from './user-topic-store.ts'

/**
 * Has whoever takes part in a topic (by a reaction, by a vote) follow it, or unmute it, if they want that. The organization's
 * order is held by the caller: sends change policies under it.
 */
export const takePart = async (
  deps: Pick<Deps, 'personal'>,
  tx: Tx<typeof userTopicEvent | typeof mutedTopicsEvent>,
  { realm, user }: KnownCaller,
  message: Pick<StoredMessage, 'channel_id' | 'topic'>,
): Promise<void> => {
  const { channel_id, topic } = message
  if (channel_id === null) return
  const wishes = wishesOfParticipant(await deps.personal.of(realm.id), user)
  if (wishes.length === 0) return
  const before = await userTopicPolicy(tx.sql, user.id, channel_id, topic)
  for (const { policy, unless, in_muted } of wishes) {
    if (unless.includes(before)) continue
    if (in_muted && !(await isChannelMutedBy(tx.sql, user.id, channel_id))) continue
    const wish = { stream_id: channel_id, topic_name: topic, visibility_policy: policy }
    return changeUserTopic(tx, { realmId: realm.id, id: user.id }, wish)
  }
}
