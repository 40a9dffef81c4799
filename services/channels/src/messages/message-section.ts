import { messageSection as contract } from '@parley/contracts/channels/sections'
import { personalHistory } from '../narrows/history.ts'
import { newestId } from '../narrows/nearest.ts'
import { readerOf } from '../narrows/reader.ts'
import { section } from '../room.ts'

export const messageSection = section(
  contract,
  async ({ caller, sql, deps }) => {
    const { person } = await readerOf(deps, caller, sql)
    return { max_message_id: (await newestId(sql, await personalHistory(sql, person))) ?? -1 }
  },
  async () => ({ max_message_id: -1 }),
)
