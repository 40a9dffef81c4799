import {
  defaultStreamGroupsSection as groupsContract,
  defaultStreamsSection as streamsContract,
} from '@parley/contracts/channels/sections'
import { isGuest } from '../permissions/actor.ts'
import { section } from '../room.ts'
import { defaultChannelGroups, defaultChannels } from './default-channel-store.ts'

export const defaultStreamsSection = section(
  streamsContract,
  async ({ caller, sql }) => ({
    realm_default_streams: isGuest(caller.user) ? [] : await defaultChannels(sql, caller.realm.id),
  }),
  async () => ({ realm_default_streams: [] }),
)

export const defaultStreamGroupsSection = section(
  groupsContract,
  async ({ caller, sql }) => ({
    realm_default_stream_groups: isGuest(caller.user) ? [] : await defaultChannelGroups(sql, caller.realm.id),
  }),
  async () => ({ realm_default_stream_groups: [] }),
)
