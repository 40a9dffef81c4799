import { realmEmojiSection as contract } from '@parley/contracts/uploads/sections'
import { section } from '../room.ts'
import { byId, emojiOfRealm } from './emoji-store.ts'

export const realmEmojiSection = section(
  contract,
  async ({ caller, sql }) => ({ realm_emoji: byId(await emojiOfRealm(sql, caller.realm.id)) }),
  async ({ realm, sql }) => ({ realm_emoji: byId(await emojiOfRealm(sql, realm.id)) }),
)
