/** When a delivery is tried again: data, and the arithmetic on it. All spans are in seconds. */

export type Phase = 'interactive' | 'long' | 'manual'

/**
 * Pauses before each attempt. `interactive`: somebody waits for an answer, so a few tries within minutes. `long`: the
 * receiver is down, and shall learn of the message all the same: 11 tries over 75 hours and more. `manual`: a person asked
 * for one try.
 */
const minute = 60
const hour = 60 * minute
export const pauses: Readonly<Record<Phase, readonly number[]>> = {
  interactive: [0, 5, 30, 2 * minute],
  long: [
    5 * minute,
    15 * minute,
    30 * minute,
    hour,
    2 * hour,
    4 * hour,
    6 * hour,
    8 * hour,
    12 * hour,
    18 * hour,
    24 * hour,
  ],
  manual: [0],
}

/** How long after the message a receiver's answer is still posted as a reply, and the interactive phase lasts at most. */
export const replyWindow = 5 * minute

/** A pause is lengthened by up to this share of it, so that those who failed together do not come back together. */
const jitter = 0.1

/** Longest wish of a receiver (`Retry-After`) that is granted. */
const longestWish = 24 * hour

/** Seconds that a Retry-After header asks for: a number, or an HTTP date. */
export const wishedPause = (retryAfter: string | undefined, now: Date): number => {
  if (retryAfter === undefined) return 0
  const seconds = /^\s*\d+\s*$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - now.getTime()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), longestWish) : 0
}

export type NextTry =
  | { readonly kind: 'again'; readonly phase: Phase; readonly phaseAttempts: number; readonly pause: number }
  | { readonly kind: 'over' }

/**
 * What follows a failed attempt. `phaseAttempts` counts it; `age` is that of the message, `least` what the receiver wished.
 * `chance` is random, from 0 to 1.
 */
export const nextTry = (given: {
  phase: Phase
  phaseAttempts: number
  age: number
  least: number
  chance: number
}): NextTry => {
  const { phase, phaseAttempts, age, least, chance } = given
  const planned = pauses[phase][phaseAttempts]
  if (planned !== undefined) {
    const pause = Math.max(planned * (1 + jitter * chance), least)
    if (phase !== 'interactive' || age + pause <= replyWindow) {
      return { kind: 'again', phase, phaseAttempts, pause }
    }
  }
  if (phase !== 'interactive') return { kind: 'over' }
  return {
    kind: 'again',
    phase: 'long',
    phaseAttempts: 0,
    pause: Math.max(pauses.long[0]! * (1 + jitter * chance), least),
  }
}
