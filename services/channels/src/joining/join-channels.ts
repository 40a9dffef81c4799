import { joinChannels as contract } from '@parley/contracts/channels/joining'
import { deactivatedAmong } from '../directory/user-store.ts'
import { insertNotices } from '../notices/notice-store.ts'
import { mayAddSubscribers } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { type Deps, internal, type Queries } from '../room.ts'
import { lockRealmOrder, openPeriods } from '../subscriptions/period-store.ts'
import { announceJoining } from '../subscriptions/subscription-announcements.ts'
import { firstSettings } from '../subscriptions/subscription-presentation.ts'
import { giveSettings } from '../subscriptions/subscription-store.ts'
import { lockOpenChannels, openChannelsOf } from './joining-store.ts'

/** Those of the channels that the inviter may let others into now; none when the account is not active any more. */
const givenBy = async (
  deps: Deps,
  sql: Queries,
  realmId: number,
  inviterId: number | null,
  channelIds: readonly number[],
): Promise<number[]> => {
  if (inviterId === null || channelIds.length === 0) return []
  const realm = await deps.realms.get(realmId)
  const inviter = (await deps.users.byIds(realmId, [inviterId])).get(inviterId)
  if (inviter?.is_active !== true) return []
  const actor = await findActor(deps, inviter, realm)
  const channels = await openChannelsOf(sql, realmId, inviterId, channelIds)
  return channels
    .filter((channel) => mayAddSubscribers(actor, realm, channel, channel.is_subscribed))
    .map(({ id }) => id)
}

export const joinChannels = internal(contract, async ({ input, deps, transaction, refuse }) => {
  const { name, realm_id, user_id, notices } = input
  const realm = await deps.realms.get(realm_id)
  const user = (await deps.users.byIds(realm_id, [user_id])).get(user_id)
  if (user === undefined || !realm.is_active) {
    throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  }
  const channel_ids = await transaction(async (tx) => {
    const { sql } = tx
    const first = await sql`
      INSERT INTO joinings (name, user_id) VALUES (${name}, ${user_id}) ON CONFLICT DO NOTHING RETURNING name`
    if (first.length === 0 || !user.is_active) return []
    const given = await givenBy(deps, sql, realm_id, input.inviter_id, input.channel_ids)
    const channels = await lockOpenChannels(sql, realm_id, given, input.include_default)
    // An account that ended on its way in joins nothing: only active ones are ever subscribed.
    if ((await deactivatedAmong(sql, [user_id])).length > 0) return []
    const joined = await openPeriods(
      sql,
      channels.map(({ id }) => id),
      [user_id],
    )
    if (joined.length > 0) {
      const first = new Map(channels.map((channel) => [channel.id, firstSettings(channel)]))
      const keptSettings = await giveSettings(sql, joined, first)
      await announceJoining(tx, {
        realm,
        channels: await openChannelsOf(
          sql,
          realm_id,
          user_id,
          channels.map(({ id }) => id),
        ),
        madeIds: new Set(),
        joined,
        firstSettings: first,
        keptSettings,
      })
      await lockRealmOrder(sql, realm_id)
    }
    await insertNotices(
      sql,
      notices.map(({ bot, user_id: reader, content }) => ({
        realm_id,
        bot,
        to: { user_ids: [reader] },
        content,
      })),
    )
    tx.afterCommit(() => deps.bell.ring())
    return joined.map((pair) => pair.channel_id)
  })
  return { channel_ids }
})
