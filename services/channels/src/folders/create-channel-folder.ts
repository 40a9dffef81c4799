import { channelFolderAdd } from '@parley/contracts/channels/events'
import { createChannelFolder as contract } from '@parley/contracts/channels/folders'
import { endpoint } from '../room.ts'
import { describedAs } from '../subscriptions/wanted-channels.ts'
import { folderDescription, folderName } from './folder-rules.ts'
import { insertFolder, isFolderNameUsed, lockFolders } from './folder-store.ts'

export const createChannelFolder = endpoint(
  contract,
  async ({ params, caller, deps, transaction, refuse }) => {
    const name = folderName(params.name)
    const described = await describedAs(deps, caller.realm, folderDescription(params.description))
    return transaction(async (tx) => {
      await lockFolders(tx.sql, caller.realm.id)
      if (await isFolderNameUsed(tx.sql, caller.realm.id, name)) {
        throw refuse('BAD_REQUEST', 'Channel folder name already in use')
      }
      const made = { realm_id: caller.realm.id, creator_id: caller.user.id, name, ...described }
      const channel_folder = await insertFolder(tx.sql, made)
      tx.emit(channelFolderAdd, { realm: caller.realm.id, everyone: true }, { channel_folder })
      return { channel_folder_id: channel_folder.id }
    })
  },
)
