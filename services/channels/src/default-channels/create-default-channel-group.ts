import { createDefaultChannelGroup as contract } from '@parley/contracts/channels/default-channels'
import { channelsByNames } from '../channels/channel-store.ts'
import { endpoint } from '../room.ts'
import { announceDefaultGroups } from './default-channel-announcements.ts'
import { defaultGroupDescription, defaultGroupName, groupMembers } from './default-channel-group-rules.ts'
import { defaultChannels, insertDefaultGroup } from './default-channel-store.ts'

export const createDefaultChannelGroup = endpoint(
  contract,
  async ({ params, caller, transaction, refuse }) => {
    const name = defaultGroupName(params.group_name)
    const description = defaultGroupDescription(params.description)
    const realmId = caller.realm.id
    return transaction(async (tx) => {
      const found = await channelsByNames(tx.sql, realmId, params.stream_names)
      const members = groupMembers(params.stream_names, found, await defaultChannels(tx.sql, realmId))
      const group = { name, description, streams: [...new Set(members)] }
      if (!(await insertDefaultGroup(tx.sql, realmId, group))) {
        throw refuse('BAD_REQUEST', `Default channel group '${name}' already exists`)
      }
      await announceDefaultGroups(tx, realmId)
      return {}
    })
  },
)
