import { deleteDefaultChannelGroup as contract } from '@parley/contracts/channels/default-channels'
import { endpoint } from '../room.ts'
import { announceDefaultGroups } from './default-channel-announcements.ts'
import { deleteDefaultGroup, lockDefaultGroup } from './default-channel-store.ts'

export const deleteDefaultChannelGroup = endpoint(contract, async ({ params, caller, transaction, refuse }) =>
  transaction(async (tx) => {
    const group = await lockDefaultGroup(tx.sql, caller.realm.id, params.group_id)
    if (group === undefined) {
      throw refuse('BAD_REQUEST', `Default channel group with id '${params.group_id}' does not exist.`)
    }
    await deleteDefaultGroup(tx.sql, group.id)
    await announceDefaultGroups(tx, caller.realm.id)
    return {}
  }),
)
