import { streamSection as contract } from '@parley/contracts/channels/sections'
import type { SnapshotSql } from '@parley/db'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { Realm } from '../directory/realm-store.ts'
import { anybody } from '../narrows/anonymous.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { section } from '../room.ts'
import { channelsInSnapshot } from './subscription-store.ts'

const streamsKnownTo = async (sql: SnapshotSql, realm: Realm, actor: Actor, knowsArchived: boolean) => {
  const rows = await channelsInSnapshot(sql, realm.id, actor.id)
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
