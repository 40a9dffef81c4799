import { updateDefaultChannelGroupMembers as contract } from '@parley/contracts/channels/default-channels'
import { channelsByNames } from '../channels/channel-store.ts'
import { endpoint } from '../room.ts'
import { announceDefaultGroups } from './default-channel-announcements.ts'
import { groupMembers } from './default-channel-group-rules.ts'
import { defaultChannels, lockDefaultGroup, saveDefaultGroup } from './default-channel-store.ts'

export const updateDefaultChannelGroupMembers = endpoint(
  contract,
  async ({ params, caller, transaction, refuse }) => {
    const realmId = caller.realm.id
    const isAdding = params.op === 'add'
    return transaction(async (tx) => {
      const group = await lockDefaultGroup(tx.sql, realmId, params.group_id)
      if (group === undefined) {
        throw refuse('BAD_REQUEST', `Default channel group with id '${params.group_id}' does not exist.`)
      }
      const found = await channelsByNames(tx.sql, realmId, params.stream_names)
      const defaults = isAdding ? await defaultChannels(tx.sql, realmId) : []
      const named = [...new Set(groupMembers(params.stream_names, found, defaults))]
      const wrong = named.find((id) => group.streams.includes(id) === isAdding)
      if (wrong !== undefined) {
        const { name } = found.find((channel) => channel.id === wrong)!
        const standing = isAdding ? 'is already present in' : 'is not present in'
        throw refuse('BAD_REQUEST', `Channel '${name}' ${standing} default channel group '${group.name}'`)
      }
      const streams = isAdding
        ? [...group.streams, ...named]
        : group.streams.filter((id) => !named.includes(id))
      await saveDefaultGroup(tx.sql, { ...group, streams })
      await announceDefaultGroups(tx, realmId)
      return {}
    })
  },
)
