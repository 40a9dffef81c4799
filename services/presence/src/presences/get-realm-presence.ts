import { limits } from '@parley/contracts'
import type { LegacyPresence } from '@parley/contracts/objects/presence'
import { getRealmPresence as contract } from '@parley/contracts/presence/presences'
import { endpoint } from '../room.ts'
import { recentPresences } from './recent-presences.ts'

export const getRealmPresence = endpoint(contract, async ({ caller, deps }) => {
  const { presences } = await recentPresences(deps, caller, {
    days: limits.presenceHistoryDays,
    isSlim: false,
  })
  return { server_timestamp: Date.now() / 1000, presences: presences as Record<string, LegacyPresence> }
})
