import type { Receiver } from '@parley/contracts/webhook-dispatcher/receivers'
import type { ReceiverRow } from './receiver-store.ts'

/** UNIX seconds. */
export const seconds = (time: Date | null): number | null =>
  time === null ? null : Math.floor(time.getTime() / 1000)

const inFuture = (time: Date | null, now: Date): Date | null => (time !== null && time > now ? time : null)

export const presentReceiver = (row: ReceiverRow, now = new Date()): Receiver => ({
  bot_id: row.bot_id,
  url: row.url,
  interface: row.interface,
  signing_secret: row.secret,
  previous_secret_until: seconds(inFuture(row.previous_secret_until, now)),
  enabled: row.disabled_at === null,
  disabled_reason: row.disabled_reason,
  disabled_at: seconds(row.disabled_at),
  failing_since: seconds(row.failing_since),
  paused_until: seconds(inFuture(row.paused_until, now)),
  last_success_at: seconds(row.last_success_at),
})
