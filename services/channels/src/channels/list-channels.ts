import { listChannels as contract } from '@parley/contracts/channels/channels'
import { defaultChannels } from '../default-channels/default-channel-store.ts'
import { isAdministrator, isGuest } from '../permissions/actor.ts'
import { mayKnowChannel, mayReadChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { channelsOfUser, channelsSeenBy } from '../subscriptions/subscription-store.ts'
import { presentChannel } from './channel-presentation.ts'

export const listChannels = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  if (params.include_all_active && !isAdministrator(caller.user)) {
    throw refuse('BAD_REQUEST', 'User not authorized for this query')
  }
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const rows = await database.guard(channelsSeenBy(database.sql, realm.id, caller.user.id, 'all'))
  const owners = params.include_owner_subscribed ? await ownersChannels(deps, caller) : new Set<number>()
  const defaults = params.include_default
    ? new Set(await database.guard(defaultChannels(database.sql, realm.id)))
    : undefined
  const now = Math.floor(Date.now() / 1000)
  const streams = rows
    .filter((row) => {
      if (params.exclude_archived && row.is_archived) return false
      return (
        (params.include_subscribed && row.is_subscribed) ||
        (params.include_public && !row.invite_only && !isGuest(actor)) ||
        (params.include_web_public && row.is_web_public) ||
        owners.has(row.id) ||
        (params.include_can_access_content && mayReadChannel(actor, row, row.is_subscribed)) ||
        ((params.include_all || params.include_all_active) && mayKnowChannel(actor, row, row.is_subscribed))
      )
    })
    .map((row) => ({
      ...presentChannel(row, row, realm.system_groups, now),
      ...(defaults && { is_default: defaults.has(row.id) }),
    }))
  return { streams }
})

/** What the owner of a bot is subscribed to; nothing for whoever is no bot. */
const ownersChannels = async (
  deps: Parameters<Parameters<typeof endpoint>[1]>[0]['deps'],
  caller: { readonly realm: { readonly id: number }; readonly user: { readonly id: number } },
): Promise<ReadonlySet<number>> => {
  const account = (await deps.users.byIds(caller.realm.id, [caller.user.id])).get(caller.user.id)
  const owner = account?.bot_owner_id
  if (owner == null) return new Set()
  return new Set(await deps.database.guard(channelsOfUser(deps.database.sql, caller.realm.id, owner)))
}
