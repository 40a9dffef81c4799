import { defaultStreamGroupsEvent, defaultStreamsEvent } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { defaultChannelGroups, defaultChannels, membersOfRealm } from './default-channel-store.ts'

// All of them are told at once: one change after the other, so that the last that is told holds every change before it.

/** Tells everybody but guests which channels newcomers are subscribed to now. */
export const announceDefaultChannels = async (
  tx: Tx<typeof defaultStreamsEvent>,
  realmId: number,
): Promise<void> => {
  await lockRealmOrder(tx.sql, realmId)
  const users = await membersOfRealm(tx.sql, realmId)
  tx.emit(
    defaultStreamsEvent,
    { realm: realmId, users },
    { default_streams: await defaultChannels(tx.sql, realmId) },
  )
}

/** The same of the named sets. */
export const announceDefaultGroups = async (
  tx: Tx<typeof defaultStreamGroupsEvent>,
  realmId: number,
): Promise<void> => {
  await lockRealmOrder(tx.sql, realmId)
  const users = await membersOfRealm(tx.sql, realmId)
  tx.emit(
    defaultStreamGroupsEvent,
    { realm: realmId, users },
    { default_stream_groups: await defaultChannelGroups(tx.sql, realmId) },
  )
}
