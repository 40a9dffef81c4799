import { channelForTask as contract } from '@parley/contracts/channels/notice-questions'
import { channelById } from '../channels/channel-store.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { internal } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'

export const channelForTask = internal(contract, async ({ input, deps }) => {
  const { database, realms } = deps
  const { realm_id, user, channel_id } = input
  const channel = await database.guard(channelById(database.sql, realm_id, channel_id))
  if (channel === undefined) return { channel: null }
  const actor = await findActor(deps, user, await realms.get(realm_id))
  const own = await database.guard(currentMemberships(database.sql, [channel_id], [user.id]))
  if (!mayKnowChannel(actor, channel, own.length > 0)) return { channel: null }
  return { channel: { invite_only: channel.invite_only, is_archived: channel.is_archived } }
})
