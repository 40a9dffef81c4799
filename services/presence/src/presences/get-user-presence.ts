import { type LastSeen, legacyPresence, modernPresence } from '@parley/contracts/objects/presence'
import { getUserPresence as contract } from '@parley/contracts/presence/presences'
import { endpoint } from '../room.ts'

/** What is told of somebody who was never there: idle, long ago. */
const never: LastSeen = { active: null, connected: 0 }

export const getUserPresence = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { user_id_or_email: named } = params
  const { users, presences } = deps
  const realmId = caller.realm.id
  const account = /^\d{1,15}$/.test(named)
    ? (await users.byIds(realmId, [Number(named)])).get(Number(named))
    : await users.byEmail(realmId, named)
  if (!account?.is_active) throw refuse('BAD_REQUEST', 'No such user')
  const seen = await presences.one(realmId, account.id)
  return {
    // Legacy keys first: some clients stop reading after them.
    presence: { ...legacyPresence(seen ?? never), ...(seen === undefined ? {} : modernPresence(seen)) },
    server_timestamp: Date.now() / 1000,
  }
})
