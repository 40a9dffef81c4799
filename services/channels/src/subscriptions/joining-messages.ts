import type { UserFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { areTold, newChannelNotices, newSubscriptionNotices } from '../notices/joining-notices.ts'
import { insertNotices } from '../notices/notice-store.ts'
import type { Deps } from '../room.ts'
import type { Joined } from './joining.ts'

interface Told {
  readonly realm: Realm
  readonly by: UserFact
  readonly people: readonly UserFact[]
  readonly joined: Joined
  readonly wishes: { readonly announce: boolean; readonly send_new_subscription_messages: boolean }
}

/**
 * Has system bots say, if wished, which channels were made, and to whom somebody else subscribed that they were.
 *
 * @returns what the client is told about the latter.
 */
export const tellOfJoining = async (
  tx: Tx<never>,
  deps: Pick<Deps, 'bell'>,
  { by, realm, people, joined, wishes }: Told,
): Promise<{ new_subscription_messages_sent?: boolean }> => {
  const { channels, madeIds } = joined
  const isSent = wishes.send_new_subscription_messages && areTold(Object.keys(joined.subscribed).length)
  const reply = wishes.send_new_subscription_messages ? { new_subscription_messages_sent: isSent } : {}
  const made = wishes.announce ? [...madeIds].map((id) => channels.get(id)!) : []
  const joinedBy = new Map<number, ChannelRow[]>()
  for (const { channel_id, user_id } of isSent ? joined.joined : []) {
    if (user_id === by.id || madeIds.has(channel_id)) continue
    joinedBy.set(user_id, [...(joinedBy.get(user_id) ?? []), channels.get(channel_id)!])
  }
  if (made.length === 0 && joinedBy.size === 0) return reply
  const notices = [
    ...newChannelNotices(realm, by, made),
    ...newSubscriptionNotices({ realm, by, people, joined: joinedBy }),
  ]
  if (notices.length === 0) return reply
  await insertNotices(tx.sql, notices)
  tx.afterCommit(deps.bell.ring)
  return reply
}
