import { refuse } from '@parley/contracts'
import { newestMessage as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'
import { newestId, personalHistory } from './personal-history.ts'

export const newestMessage = internal(contract, async ({ input, deps }) => {
  const { user } = input.caller
  if (user === null) throw refuse('BAD_REQUEST', 'Only accounts have messages.')
  const { database } = deps
  const max_message_id = await database.guard(
    (async () => (await newestId(database.sql, await personalHistory(database.sql, user))) ?? -1)(),
  )
  return { max_message_id }
})
