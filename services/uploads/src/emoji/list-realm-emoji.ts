import { listRealmEmoji as contract } from '@parley/contracts/uploads/emoji'
import { endpoint } from '../room.ts'
import { byId, emojiOfRealm } from './emoji-store.ts'

export const listRealmEmoji = endpoint(contract, async ({ caller, deps }) => ({
  emoji: byId(await emojiOfRealm(deps.database.sql, caller.realm.id)),
}))
