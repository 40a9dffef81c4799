import { addSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import { defaultGroupSettings } from '../channels/channel-rules.ts'
import { channelsByNames, insertChannels, lockChannelsByNames } from '../channels/channel-store.ts'
import { renderText } from '../messages/render-text.ts'
import { mayAddSubscribers, mayReadChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { mayInRealm } from '../permissions/realm-permissions.ts'
import { endpoint } from '../room.ts'
import { currentMemberships, lockRealmOrder, type Membership, openPeriods } from './period-store.ts'
import { findPrincipals } from './principals.ts'
import { announceJoining } from './subscription-announcements.ts'
import { firstColor } from './subscription-presentation.ts'
import { giveSettings } from './subscription-store.ts'
import { wantedChannels } from './wanted-channels.ts'

export const addSubscriptions = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const { system_groups } = realm
  const wanted = wantedChannels(params.subscriptions)
  const names = wanted.map((channel) => channel.name)
  const people = await findPrincipals(deps.users, caller, params.principals)
  const personIds = people.map((user) => user.id)
  const isForOthers = personIds.some((id) => id !== caller.user.id)
  const actor = await findActor(deps, caller.user, realm)
  const described = await Promise.all(
    wanted.map(async ({ name, description }) => ({
      name,
      description,
      rendered_description:
        description === '' ? '' : (await renderText(deps, caller.realm, description)).rendered.html,
    })),
  )

  return transaction(async (tx) => {
    const existing = new Set(
      (await channelsByNames(tx.sql, realm.id, names)).map((channel) => channel.name.toLowerCase()),
    )
    const missing = described.filter(({ name }) => !existing.has(name.toLowerCase()))
    if (
      missing.length > 0 &&
      !mayInRealm(
        actor,
        realm,
        params.invite_only ? 'can_create_private_channel_group' : 'can_create_public_channel_group',
      )
    ) {
      throw refuse('BAD_REQUEST', 'Insufficient permission')
    }
    const madeIds = await insertChannels(
      tx.sql,
      {
        realm_id: realm.id,
        creator_id: caller.user.id,
        invite_only: params.invite_only,
        // Everybody could read a public channel's history anyway; a private one's is protected unless asked otherwise.
        history_public_to_subscribers: !params.invite_only || (params.history_public_to_subscribers ?? false),
        group_settings: defaultGroupSettings(caller.user.id, system_groups),
      },
      missing,
    )
    const channels = await lockChannelsByNames(tx.sql, realm.id, names)
    const before = await currentMemberships(
      tx.sql,
      channels.map((channel) => channel.id),
      [...personIds, caller.user.id],
    )
    const callersChannels = new Set(
      before.filter((pair) => pair.user_id === caller.user.id).map((pair) => pair.channel_id),
    )
    const open = channels.filter(
      (channel) =>
        madeIds.has(channel.id) ||
        (isForOthers
          ? mayAddSubscribers(actor, realm, channel, callersChannels.has(channel.id))
          : mayReadChannel(actor, channel, callersChannels.has(channel.id))),
    )
    const unauthorized = channels.filter((channel) => !open.includes(channel)).map((channel) => channel.name)
    if (params.authorization_errors_fatal && unauthorized.length > 0) {
      throw refuse('BAD_REQUEST', `Unable to access channel (${unauthorized.join(', ')}).`)
    }

    const openIds = open.map((channel) => channel.id)
    const joined = await openPeriods(tx.sql, openIds, personIds)
    if (joined.length > 0) {
      const keptSettings = await giveSettings(tx.sql, joined, firstColor)
      await announceJoining(tx, {
        realm,
        channels: await channelsByNames(tx.sql, realm.id, names),
        madeIds,
        joined,
        keptSettings,
      })
      await lockRealmOrder(tx.sql, realm.id)
    }

    const nameOf = new Map(channels.map((channel) => [channel.id, channel.name]))
    const asked = new Set(personIds)
    const already = before.filter((pair) => asked.has(pair.user_id) && openIds.includes(pair.channel_id))
    return {
      subscribed: namesByUser(joined, nameOf),
      already_subscribed: namesByUser(already, nameOf),
      ...(params.authorization_errors_fatal ? {} : { unauthorized }),
    }
  })
})

/** Names of channels by user ID as text, as clients read it. */
const namesByUser = (
  memberships: readonly Membership[],
  nameOf: ReadonlyMap<number, string>,
): Record<string, string[]> => {
  const names: Record<string, string[]> = {}
  for (const { channel_id, user_id } of memberships) {
    const own = names[user_id] ?? []
    own.push(nameOf.get(channel_id)!)
    names[user_id] = own
  }
  return names
}
