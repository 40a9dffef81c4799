import { LRUCache } from 'lru-cache'
import type { CallLog, Verdict } from './call-log.ts'
import type { Rule } from './rules.ts'

/** Counts within this process, for as long as Redis is away; the least recently seen subjects are forgotten. */
export const localCallLog = (now: () => number = Date.now): CallLog => {
  const calls = new LRUCache<string, number[]>({ max: 20_000 })
  return {
    async take(subject, rules) {
      const at = now()
      const longest = Math.max(...rules.map(({ seconds }) => seconds)) * 1000
      const kept = (calls.get(subject) ?? []).filter((call) => at - call < longest)
      const verdict = judge(kept, rules, at)
      if (verdict.admitted) kept.push(at)
      calls.set(subject, kept)
      return verdict
    },
    async giveBack(subject) {
      calls.get(subject)?.pop()
    },
    async clear(subject) {
      calls.delete(subject)
    },
  }
}

/** `calls` are the counted ones, oldest first. */
const judge = (calls: readonly number[], rules: readonly Rule[], at: number): Verdict => {
  let nearest: Verdict | undefined
  for (const { count, seconds } of rules) {
    const counted = calls.filter((call) => at - call < seconds * 1000)
    const resetAt = (counted[0] ?? at) + seconds * 1000
    const admitted = counted.length < count
    const remaining = admitted ? count - counted.length - 1 : 0
    const wait = remaining > 0 ? 0 : (counted.at(-count) ?? counted[0] ?? at) + seconds * 1000 - at
    const verdict = { admitted, limit: count, remaining, wait, resetAt }
    if (nearest === undefined || isNearer(verdict, nearest)) nearest = verdict
  }
  return nearest!
}

const isNearer = (one: Verdict, other: Verdict): boolean =>
  one.admitted === other.admitted
    ? one.remaining < other.remaining || (one.remaining === other.remaining && one.wait > other.wait)
    : !one.admitted
