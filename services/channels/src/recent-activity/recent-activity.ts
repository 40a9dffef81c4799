/** Tells who knows of a channel when it falls silent, and when it is talked in again. */
import { streamUpdate } from '@parley/contracts/channels/events'
import { inTransaction, type Tx } from '@parley/kit'
import { lockChannel } from '../channels/channel-store.ts'
import { channelReference, type Recipients } from '../messages/addressing.ts'
import type { Deps } from '../room.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { takeDue } from '../scheduler/take-due.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { viewersOf } from '../subscriptions/subscription-store.ts'
import {
  type ActivityProgress,
  claimActivity,
  nextToldWrongly,
  secondsToActivity,
  storeActivity,
  storeActivityProgress,
} from './recent-activity-store.ts'

/** Seconds between two rounds through all channels: what is told is a matter of half a year. */
const pauseBetweenRounds = 3600
/** Seconds after something unforeseen. */
const pauseAfterFailure = 300

/** Looks through all channels now and then, one changed channel in a transaction; one process at a time. */
export const recentActivityWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'recent activity',
    takeOne: () =>
      takeDue<ActivityProgress>({
        name: 'recent activity',
        database,
        log,
        claim: claimActivity,
        perform: (tx, progress) => step(deps, tx, progress),
        putOff: (sql) => storeActivityProgress(sql, 0, pauseAfterFailure),
      }),
    secondsToNext: () => database.guard(secondsToActivity(database.sql)),
  }
}

const step = async (deps: Deps, tx: Tx, { after_channel_id }: ActivityProgress): Promise<string> => {
  const { found, last } = await nextToldWrongly(tx.sql, after_channel_id)
  const [channel] = found
  if (channel !== undefined) {
    await tellActivity(deps, tx, channel.realm_id, channel.id)
    await storeActivityProgress(tx.sql, channel.id, 0)
    return 'told'
  }
  await storeActivityProgress(tx.sql, last ?? 0, last === undefined ? pauseBetweenRounds : 0)
  return last === undefined ? 'round over' : 'looked'
}

/** Stores what is so now, and tells it to those who know of the channel. */
const tellActivity = async (
  deps: Pick<Deps, 'realms' | 'channels'>,
  tx: Tx<typeof streamUpdate>,
  realmId: number,
  channelId: number,
): Promise<void> => {
  const { sql } = tx
  const channel = await lockChannel(sql, realmId, channelId)
  if (channel === undefined) return
  const realm = await deps.realms.get(realmId)
  const users = await viewersOf(sql, realm, channel)
  // No message is being sent meanwhile: whoever sends next finds what is stored here.
  await lockRealmOrder(sql, realmId)
  const value = await storeActivity(sql, channelId)
  if (value === undefined) return
  tx.afterCommit(() => deps.channels.forget(channelId))
  if (users.length === 0) return
  const { id: stream_id, name } = channel
  const hidden = channel.is_archived ? { is_archived: true } : {}
  const update = { stream_id, name, property: 'is_recently_active', value, ...hidden }
  tx.emit(streamUpdate, { realm: realmId, users }, update)
}

/**
 * To be called after a message was sent: tells, if its channel counted as inactive until now. The message is there whatever
 * becomes of this: if it fails, the next round tells.
 */
export const followActivity = async (deps: Deps, realmId: number, to: Recipients): Promise<void> => {
  try {
    const reference = channelReference(to)
    // As the send has just found it, from memory.
    const channel = await ('id' in reference
      ? deps.channels.byId(realmId, reference.id)
      : deps.channels.byName(realmId, reference.name))
    if (channel === undefined || channel.is_recently_active) return
    await inTransaction(deps.database, (tx: Tx<typeof streamUpdate>) =>
      tellActivity(deps, tx, realmId, channel.id),
    )
  } catch (error) {
    deps.log.warn({ err: error, to }, 'that a channel is active again is told in the next round')
  }
}
