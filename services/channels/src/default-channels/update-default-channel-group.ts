import { updateDefaultChannelGroup as contract } from '@parley/contracts/channels/default-channels'
import { isUniqueViolation } from '@parley/db'
import { endpoint } from '../room.ts'
import { announceDefaultGroups } from './default-channel-announcements.ts'
import { defaultGroupDescription, defaultGroupName } from './default-channel-group-rules.ts'
import { lockDefaultGroup, saveDefaultGroup } from './default-channel-store.ts'

export const updateDefaultChannelGroup = endpoint(
  contract,
  async ({ params, caller, transaction, refuse }) => {
    const { new_group_name, new_description } = params
    if (new_group_name === undefined && new_description === undefined) {
      throw refuse('BAD_REQUEST', 'You must pass "new_description" or "new_group_name".')
    }
    const name = new_group_name === undefined ? undefined : defaultGroupName(new_group_name)
    const description = new_description === undefined ? undefined : defaultGroupDescription(new_description)
    const work = transaction(async (tx) => {
      const group = await lockDefaultGroup(tx.sql, caller.realm.id, params.group_id)
      if (group === undefined) {
        throw refuse('BAD_REQUEST', `Default channel group with id '${params.group_id}' does not exist.`)
      }
      await saveDefaultGroup(tx.sql, {
        ...group,
        name: name ?? group.name,
        description: description ?? group.description,
      })
      await announceDefaultGroups(tx, caller.realm.id)
      return {}
    })
    try {
      return await work
    } catch (error) {
      if (!isUniqueViolation(error, 'default_channel_groups_by_name')) throw error
      throw refuse('BAD_REQUEST', `Default channel group '${name}' already exists`)
    }
  },
)
