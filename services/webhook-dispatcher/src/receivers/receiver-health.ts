/** How the outcome of a call changes what is thought of a receiver; no I/O. */

import type { DisabledReason } from '@parley/contracts/webhook-dispatcher/receivers'
import type { z } from 'zod'

/** What a call showed. `down`: nobody there, too slow, or an answer that says so. `refused`: there, but did not want it. */
export type Finding = 'success' | 'down' | 'refused' | 'gone'

export interface Health {
  readonly failures: number
  readonly paused_until: Date | null
  readonly failing_since: Date | null
  readonly last_success_at: Date | null
}

export interface Verdict extends Health {
  readonly disable: z.infer<typeof DisabledReason> | null
}

/** Failures in a row after which a receiver is left alone for a while, and then asked one call at a time. */
export const failuresBeforePause = 5
const firstPauseSeconds = 15
const longestPauseSeconds = 300

/** Days of nothing but failures after which a receiver is not called any more, and how many there must have been. */
const failingDays = 3
const failuresBeforeEnd = 10

const later = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000)

const latest = (...times: (Date | null)[]): Date | null =>
  times.reduce((found, time) => (time !== null && (found === null || time > found) ? time : found), null)

/** `wish`: seconds for which the receiver itself asked to be left alone. */
export const judgeReceiver = (before: Health, finding: Finding, now: Date, wish: number): Verdict => {
  if (finding === 'success') {
    return { failures: 0, paused_until: null, failing_since: null, last_success_at: now, disable: null }
  }
  const failing_since = before.failing_since ?? now
  if (finding === 'gone') return { ...before, failing_since, disable: 'gone' }
  const failures = before.failures + 1
  const isHopeless =
    failures >= failuresBeforeEnd && now.getTime() - failing_since.getTime() >= failingDays * 86_400_000
  const rounds = failures - failuresBeforePause
  const pause =
    finding === 'down' && rounds >= 0 ? Math.min(firstPauseSeconds * 2 ** rounds, longestPauseSeconds) : 0
  return {
    failures,
    paused_until: latest(
      before.paused_until,
      pause === 0 ? null : later(now, pause),
      wish === 0 ? null : later(now, wish),
    ),
    failing_since,
    last_success_at: before.last_success_at,
    disable: isHopeless ? 'failing' : null,
  }
}
