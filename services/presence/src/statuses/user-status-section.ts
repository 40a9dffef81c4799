import { userStatusSection as contract } from '@parley/contracts/presence/sections'
import { section } from '../room.ts'
import { shownStatus } from './status-rules.ts'
import { statusesOfRealm } from './status-store.ts'

export const userStatusSection = section(contract, async ({ caller, sql }) => {
  const statuses = await statusesOfRealm(sql, caller.realm.id)
  return { user_status: Object.fromEntries(statuses.map((row) => [String(row.user_id), shownStatus(row)])) }
})
