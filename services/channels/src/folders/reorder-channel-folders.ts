import { channelFolderReorder } from '@parley/contracts/channels/events'
import { reorderChannelFolders as contract } from '@parley/contracts/channels/folders'
import { endpoint } from '../room.ts'
import { foldersOfRealm, lockFolders, orderFolders } from './folder-store.ts'

export const reorderChannelFolders = endpoint(contract, async ({ params, caller, transaction, refuse }) =>
  transaction(async (tx) => {
    const { order } = params
    await lockFolders(tx.sql, caller.realm.id)
    const all = await foldersOfRealm(tx.sql, caller.realm.id, true)
    const named = new Set(order)
    const isWhole = named.size === order.length && named.size === all.length
    if (!isWhole || !all.every((folder) => named.has(folder.id))) {
      throw refuse('BAD_REQUEST', 'Invalid order mapping.')
    }
    await orderFolders(tx.sql, order)
    tx.emit(channelFolderReorder, { realm: caller.realm.id, everyone: true }, { order })
    return {}
  }),
)
