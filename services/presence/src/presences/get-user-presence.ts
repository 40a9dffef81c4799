import { type LastSeen, legacyPresence } from '@parley/contracts/objects/presence'
import { getUserPresence as contract } from '@parley/contracts/presence/presences'
import { knownPeople } from '../accounts/known-people.ts'
import { endpoint } from '../room.ts'

/** What is told of somebody who was never there: idle, long ago. */
const never: LastSeen = { active: null, connected: 0 }

/** "omit the modern keys when unknown" */
const knownTimes = (seen: LastSeen | undefined) => ({
  ...(seen === undefined || seen.active === null ? {} : { active_timestamp: seen.active }),
  ...(seen === undefined ? {} : { idle_timestamp: seen.connected }),
})

export const getUserPresence = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { user_id_or_email: named } = params
  const { users, presences, rules } = deps
  const realmId = caller.realm.id
  const account = /^\d{1,15}$/.test(named)
    ? (await users.byIds(realmId, [Number(named)])).get(Number(named))
    : await users.byEmail(realmId, named)
  const mayKnow = await knownPeople(deps, caller)
  if (!account?.is_active || mayKnow?.(account) === false) throw refuse('BAD_REQUEST', 'No such user')
  const isDisabled = rules.of(realmId).isPresenceDisabled
  const seen = isDisabled ? undefined : await presences.one(realmId, account.id)
  return {
    // Legacy keys first: some clients stop reading after them.
    presence: { ...legacyPresence(seen ?? never), ...knownTimes(seen) },
    server_timestamp: Date.now() / 1000,
  }
})
