import { channelFoldersSection as contract } from '@parley/contracts/channels/sections'
import { section } from '../room.ts'
import { foldersOfRealm, foldersShownToAnybody } from './folder-store.ts'

/** Archived ones too: channels may still be in them, and clients keep the whole order. */
export const channelFoldersSection = section(
  contract,
  async ({ caller, sql }) => ({ channel_folders: await foldersOfRealm(sql, caller.realm.id, true) }),
  async ({ realm, sql }) => ({ channel_folders: await foldersShownToAnybody(sql, realm.id) }),
)
