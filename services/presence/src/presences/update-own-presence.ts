import { updateOwnPresence as contract } from '@parley/contracts/presence/presences'
import { endpoint } from '../room.ts'
import { isHidden } from '../statuses/status-store.ts'
import { modernPresences } from './presence-boards.ts'
import { recentPresences, seenBy } from './recent-presences.ts'

export const updateOwnPresence = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { status, last_update_id, history_limit_days, ping_only, slim_presence } = params
  if (status !== 'active' && status !== 'idle') throw refuse('BAD_REQUEST', `Invalid status: ${status}`)
  const { realm, user } = caller
  const { database, presences, boards, news, rules } = deps
  if (rules.of(realm.id).isPresenceDisabled) {
    const nothing = { presence_last_update_id: last_update_id ?? -1 }
    return ping_only ? nothing : { ...nothing, server_timestamp: Date.now() / 1000, presences: {} }
  }
  const pinged = await presences.ping(realm.id, user.id, status === 'active', () =>
    database.guard(isHidden(database.sql, user.id)),
  )
  if ('seen' in pinged && pinged.cameBack) news.cameBack(realm.id, user.id, pinged.seen, pinged.online)
  if (ping_only) return { presence_last_update_id: last_update_id ?? -1 }

  const server_timestamp = Date.now() / 1000
  if (last_update_id !== undefined && last_update_id > 0 && history_limit_days > 0) {
    const changes = await boards.since(realm.id, last_update_id, pinged.lastUpdateId)
    return {
      presence_last_update_id: changes.at(-1)?.id ?? last_update_id,
      server_timestamp,
      presences: modernPresences(await seenBy(deps, caller, changes)),
    }
  }
  const { latest, presences: all } = await recentPresences(deps, caller, {
    days: history_limit_days,
    isSlim: slim_presence || last_update_id !== undefined,
    atLeast: pinged.lastUpdateId,
  })
  return { presence_last_update_id: latest ?? last_update_id ?? -1, server_timestamp, presences: all }
})
