import { channelFolderUpdate } from '@parley/contracts/channels/events'
import { updateChannelFolder as contract } from '@parley/contracts/channels/folders'
import { endpoint } from '../room.ts'
import { describedAs } from '../subscriptions/wanted-channels.ts'
import { folderDescription, folderName } from './folder-rules.ts'
import { changeFolder, hasChannels, isFolderNameUsed, lockFolder, lockFolders } from './folder-store.ts'

export const updateChannelFolder = endpoint(
  contract,
  async ({ params, caller, deps, transaction, refuse }) => {
    const realmId = caller.realm.id
    const name = params.name === undefined ? undefined : folderName(params.name)
    const described =
      params.description === undefined
        ? undefined
        : await describedAs(deps, caller.realm, folderDescription(params.description))
    return transaction(async (tx) => {
      await lockFolders(tx.sql, realmId)
      const folder = await lockFolder(tx.sql, realmId, params.channel_folder_id)
      if (folder === undefined) throw refuse('BAD_REQUEST', 'Invalid channel folder ID')
      const data: Parameters<typeof changeFolder>[2] = {
        ...(name === undefined || name === folder.name ? {} : { name }),
        ...(described === undefined || described.description === folder.description ? {} : described),
        ...(params.is_archived === undefined || params.is_archived === folder.is_archived
          ? {}
          : { is_archived: params.is_archived }),
      }
      if (Object.keys(data).length === 0) return {}
      const isLive = !(data.is_archived ?? folder.is_archived)
      if (isLive && (await isFolderNameUsed(tx.sql, realmId, name ?? folder.name, folder.id))) {
        throw refuse('BAD_REQUEST', 'Channel folder name already in use')
      }
      if (data.is_archived === true && (await hasChannels(tx.sql, folder.id))) {
        throw refuse('BAD_REQUEST', 'You need to remove all the channels from this folder to archive it.')
      }
      await changeFolder(tx.sql, folder.id, data)
      const audience = { realm: realmId, everyone: true } as const
      tx.emit(channelFolderUpdate, audience, { channel_folder_id: folder.id, data })
      return {}
    })
  },
)
