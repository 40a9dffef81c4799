import { refuse } from '@parley/contracts'
import { newestMessage as contract } from '@parley/contracts/channels/internals'
import { personalHistory } from '../narrows/history.ts'
import { newestId } from '../narrows/nearest.ts'
import { readerOf } from '../narrows/reader.ts'
import { internal } from '../room.ts'

export const newestMessage = internal(contract, async ({ input, deps }) => {
  if (input.caller.user === null) throw refuse('BAD_REQUEST', 'Only accounts have messages.')
  const { database } = deps
  const max_message_id = await database.guard(
    (async () => {
      const { person } = await readerOf(deps, input.caller)
      return (await newestId(database.sql, await personalHistory(database.sql, person))) ?? -1
    })(),
  )
  return { max_message_id }
})
