import { findUsers as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { userFact } from './account-facts.ts'
import { usersByEmail, usersOfRealm } from './user-store.ts'

export const findUsers = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const { realm_id, ids = [], emails = [] } = input
  const [byId, byEmail] = await Promise.all([
    ids.length === 0 ? [] : usersOfRealm(sql, realm_id, ids),
    usersByEmail(sql, realm_id, emails),
  ])
  const found = new Map([...byId, ...byEmail].map((user) => [user.id, userFact(user)]))
  return { users: [...found.values()] }
})
