import { streamSection as contract } from '@parley/contracts/channels/sections'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { Realm } from '../directory/realm-store.ts'
import { anybody } from '../narrows/anonymous.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { type Queries, section } from '../room.ts'
import { channelsSeenBy } from './subscription-store.ts'

const streamsKnownTo = async (sql: Queries, realm: Realm, actor: Actor, knowsArchived: boolean) => {
  const rows = await channelsSeenBy(sql, realm.id, actor.id, 'all')
  const now = Math.floor(Date.now() / 1000)
  return rows
    .filter((row) => knowsArchived || !row.is_archived)
    .filter((row) => mayKnowChannel(actor, row, row.is_subscribed))
    .map((row) => presentChannel(row, row, realm.system_groups, now))
}

export const streamSection = section(
  contract,
  async ({ caller, options, sql, deps }) => {
    const realm = await deps.realms.get(caller.realm.id)
    const actor = await findActor(deps, caller.user, realm, sql)
    const knowsArchived = options.client_capabilities?.archived_channels === true
    return { streams: await streamsKnownTo(sql, realm, actor, knowsArchived) }
  },
  async ({ realm, options, sql, deps }) => {
    const knowsArchived = options.client_capabilities?.archived_channels === true
    return { streams: await streamsKnownTo(sql, await deps.realms.get(realm.id), anybody, knowsArchived) }
  },
)
