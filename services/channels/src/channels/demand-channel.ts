import { refuse } from '@parley/contracts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel, mayReadChannel } from '../permissions/channel-permissions.ts'
import type { Queries } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import { type ChannelRow, channelById, lockChannel } from './channel-store.ts'

/** A channel as somebody stands to it. */
export interface StandingInChannel {
  readonly channel: ChannelRow
  readonly isSubscribed: boolean
}

const noSuchChannel = () => refuse('BAD_REQUEST', 'Invalid channel ID')

/**
 * The channel, if somebody may do with it what is wished: `know` of it, `read` in it, or (`lock`) change it, in which case
 * its row is held until the end of the transaction.
 *
 * @throws ApiError BAD_REQUEST, the same for channels that do not exist and for those that are hidden.
 */
export const demandChannel = async (
  sql: Queries,
  realm: Realm,
  actor: Actor,
  id: number,
  wish: 'know' | 'read' | 'lock',
): Promise<StandingInChannel> => {
  const channel = await (wish === 'lock' ? lockChannel : channelById)(sql, realm.id, id)
  if (channel === undefined) throw noSuchChannel()
  const isSubscribed = (await currentMemberships(sql, [id], [actor.id])).length > 0
  const may = wish === 'read' ? mayReadChannel : mayKnowChannel
  if (!may(actor, channel, isSubscribed)) throw noSuchChannel()
  return { channel, isSubscribed }
}
