import { updateOwnPresence as contract } from '@parley/contracts/presence/presences'
import { PreparedReply } from '@parley/kit'
import { endpoint } from '../room.ts'
import { isHidden } from '../statuses/status-store.ts'
import { modernPresences } from './presence-boards.ts'
import { daysAgo, recentPresences, seenBy, seenPeople } from './recent-presences.ts'

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
  const mayKnow = await seenPeople(deps, caller)
  const { lastUpdateId } = pinged
  const isDelta = last_update_id !== undefined && last_update_id > 0 && history_limit_days > 0
  const isSlim = slim_presence || last_update_id !== undefined
  if (mayKnow === undefined && isSlim && history_limit_days > 0) {
    // The rule: what most clients ask every minute, and the same for all of them.
    const { latest, text } = isDelta
      ? await boards.textSince(realm.id, last_update_id, lastUpdateId)
      : await boards.textOfAll(realm.id, daysAgo(history_limit_days), lastUpdateId)
    const newest = text === '{}' ? undefined : latest
    return new PreparedReply(
      `{"result":"success","msg":"","presence_last_update_id":${newest ?? last_update_id ?? -1},` +
        `"server_timestamp":${server_timestamp},"presences":${text}}`,
    )
  }
  if (isDelta) {
    const changes = await boards.since(realm.id, last_update_id, lastUpdateId)
    return {
      presence_last_update_id: changes.at(-1)?.id ?? last_update_id,
      server_timestamp,
      presences: modernPresences(await seenBy(deps, caller, mayKnow, changes)),
    }
  }
  const { latest, presences: all } = await recentPresences(deps, caller, {
    days: history_limit_days,
    isSlim,
    atLeast: lastUpdateId,
  })
  return { presence_last_update_id: latest ?? last_update_id ?? -1, server_timestamp, presences: all }
})
