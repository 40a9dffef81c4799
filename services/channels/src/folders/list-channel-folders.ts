import { listChannelFolders as contract } from '@parley/contracts/channels/folders'
import { endpoint } from '../room.ts'
import { foldersOfRealm } from './folder-store.ts'

export const listChannelFolders = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const found = foldersOfRealm(database.sql, caller.realm.id, params.include_archived)
  return { channel_folders: [...(await database.guard(found))] }
})
