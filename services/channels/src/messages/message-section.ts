import { messageSection as contract } from '@parley/contracts/channels/sections'
import { section } from '../room.ts'
import { newestId, personalHistory } from './personal-history.ts'

export const messageSection = section(contract, async ({ caller, sql }) => ({
  max_message_id: (await newestId(sql, await personalHistory(sql, caller.user))) ?? -1,
}))
