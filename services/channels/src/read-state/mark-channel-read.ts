/** Marks what somebody has not read of a channel, or of one topic of it. */
import { type KnownCaller, limits, refuse } from '@parley/contracts'
import { channelById } from '../channels/channel-store.ts'
import { hasTopic, isUnreadAfterMark, unreadExceptionHits } from '../narrows/conditions.ts'
import { personalHistory } from '../narrows/history.ts'
import type { NarrowReader } from '../narrows/narrow-plan.ts'
import { nearestIds } from '../narrows/nearest.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import { changeFlags, type FlagTx } from './change-flags.ts'

/** @throws ApiError BAD_REQUEST for a channel that does not exist, or is hidden. */
export const markChannelRead = async (
  tx: FlagTx,
  caller: KnownCaller,
  { person }: NarrowReader,
  channelId: number,
  topic?: string,
): Promise<void> => {
  const { sql } = tx
  const channel = await channelById(sql, caller.realm.id, channelId)
  const isSubscribed =
    channel !== undefined && (await currentMemberships(sql, [channelId], [person.id])).length > 0
  if (channel === undefined || !mayKnowChannel(person, channel, isSubscribed)) {
    throw refuse('BAD_REQUEST', 'Invalid channel ID')
  }
  for (let place = 0; ; ) {
    // Marks move with every round.
    const history = await personalHistory(sql, person, [channelId])
    const conditions = topic === undefined ? [] : [hasTopic(sql, topic)]
    const unread = await nearestIds(
      sql,
      [
        { history, part: 'after marks', conditions: [isUnreadAfterMark(sql, person.id), ...conditions] },
        { history, conditions, hits: unreadExceptionHits(sql, person.id) },
      ],
      { place, side: 'newer', count: limits.maxMessagesPerRequest },
    )
    await changeFlags(tx, caller, unread, { op: 'add', flag: 'read' })
    if (unread.length < limits.maxMessagesPerRequest) return
    place = unread.at(-1)! + 1
  }
}
