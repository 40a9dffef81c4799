import { limits } from '@parley/contracts'
import { livelinessSection as contract } from '@parley/contracts/presence/sections'
import { section } from '../room.ts'

const intervals = async () => ({
  server_presence_ping_interval_seconds: limits.presencePingSeconds,
  server_presence_offline_threshold_seconds: limits.presenceOfflineSeconds,
  server_typing_started_wait_period_milliseconds: limits.typingStartedWaitMilliseconds,
  server_typing_stopped_wait_period_milliseconds: limits.typingStoppedWaitMilliseconds,
  server_typing_started_expiry_period_milliseconds: limits.typingStartedExpiryMilliseconds,
})

export const livelinessSection = section(contract, intervals, intervals)
