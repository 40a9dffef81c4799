import { findRealmById as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { realmFact } from './realm-announcements.ts'
import { realmById } from './realm-store.ts'

export const findRealmById = internal(contract, async ({ input, deps }) => {
  const realm = await realmById(deps.database.sql, input.realm_id)
  return { realm: realm === undefined ? null : realmFact(realm) }
})
