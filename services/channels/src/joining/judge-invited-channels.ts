import { judgeInvitedChannels as contract } from '@parley/contracts/channels/joining'
import { mayAddSubscribers, mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { internal } from '../room.ts'
import { openChannelsOf } from './joining-store.ts'

export const judgeInvitedChannels = internal(contract, async ({ input, deps }) => {
  const { realm_id, user_id, channel_ids } = input
  const realm = await deps.realms.get(realm_id)
  const person = (await deps.users.byIds(realm_id, [user_id])).get(user_id)
  if (person?.is_active !== true) return { unknown: channel_ids, forbidden: [] }
  const actor = await findActor(deps, person, realm)
  const channels = await deps.database.guard(
    openChannelsOf(deps.database.sql, realm_id, user_id, channel_ids),
  )
  const known = channels.filter((channel) => mayKnowChannel(actor, channel, channel.is_subscribed))
  const knownIds = new Set(known.map(({ id }) => id))
  return {
    unknown: channel_ids.filter((id) => !knownIds.has(id)),
    forbidden: known
      .filter((channel) => !mayAddSubscribers(actor, realm, channel, channel.is_subscribed))
      .map(({ id }) => id),
  }
})
