import { findUsers as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { userFact } from './account-facts.ts'
import { usersByEmail, usersByFullName, usersOfRealm } from './user-store.ts'

export const findUsers = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const { realm_id, ids = [], emails = [], full_names = [] } = input
  const [byId, byEmail, byName] = await Promise.all([
    ids.length === 0 ? [] : usersOfRealm(sql, realm_id, ids),
    usersByEmail(sql, realm_id, emails),
    usersByFullName(sql, realm_id, full_names),
  ])
  const found = new Map([...byId, ...byEmail, ...byName].map((user) => [user.id, userFact(user)]))
  return { users: [...found.values()] }
})
