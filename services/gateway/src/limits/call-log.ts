import type { Rule } from './rules.ts'

/** What the rules say of one call. */
export interface Verdict {
  readonly admitted: boolean
  /** The count of the rule that is nearest to its limit. */
  readonly limit: number
  /** Calls that this rule still admits, after this one. */
  readonly remaining: number
  /** Milliseconds until a further call is admitted; 0 while some remain. */
  readonly wait: number
  /** UNIX milliseconds at which the oldest call that counts stops counting. */
  readonly resetAt: number
}

/**
 * Who called how often lately. Calls that were refused do not count. Every window slides: no stretch of a rule's
 * length ever holds more than its count, at whatever moment one looks.
 */
export interface CallLog {
  /** Counts a call, if the rules admit it. */
  take(subject: string, rules: readonly Rule[]): Promise<Verdict>
  /** Takes the latest call back. */
  giveBack(subject: string): Promise<void>
  /** Forgets the subject. */
  clear(subject: string): Promise<void>
}
