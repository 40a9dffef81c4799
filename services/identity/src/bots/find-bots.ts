import { findBots as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { usersOfRealm } from '../users/user-store.ts'
import { botFact } from './bot-presentation.ts'
import { botById } from './bot-store.ts'

export const findBots = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  if (input.ids.length === 0) return { bots: [] }
  const users = await usersOfRealm(sql, input.realm_id, input.ids)
  const found = users
    .filter((user) => user.bot_type !== null)
    .map(async (user) => {
      const bot = await botById(sql, user.id)
      return bot === undefined ? [] : [botFact(user, bot)]
    })
  return { bots: (await Promise.all(found)).flat() }
})
