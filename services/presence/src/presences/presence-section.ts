import { EngineUnavailableError } from '@parley/contracts'
import { presenceSection as contract } from '@parley/contracts/presence/sections'
import { section } from '../room.ts'
import { type RecentPresences, recentPresences } from './recent-presences.ts'

export const presenceSection = section(
  contract,
  async ({ caller, options, deps }) => {
    const { latest, presences } = await recentPresences(deps, caller, {
      days: options.presence_history_limit_days,
      isSlim: options.slim_presence,
    }).catch(nobodySeen)
    return { presences, presence_last_update_id: latest ?? -1, server_timestamp: Date.now() / 1000 }
  },
  async () => ({ presences: {}, presence_last_update_id: -1, server_timestamp: Date.now() / 1000 }),
)

/** While Redis is away nobody is seen, which must not keep anybody from registering: the next pings tell. */
const nobodySeen = (error: unknown): RecentPresences => {
  if (error instanceof EngineUnavailableError && error.engine === 'redis')
    return { latest: null, presences: {} }
  throw error
}
