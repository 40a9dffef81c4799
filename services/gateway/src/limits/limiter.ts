import { EngineUnavailableError } from '@parley/contracts'
import { isRedisAway } from '@parley/kit/redis'
import type { Logger } from 'pino'
import type { CallLog, Verdict } from './call-log.ts'
import type { Rule } from './rules.ts'

/** Whose calls are counted together, and by which rules. */
export interface LimitRules {
  readonly user: readonly Rule[]
  readonly poll: readonly Rule[]
  readonly anonymous: readonly Rule[]
  readonly logIn: readonly Rule[]
}

type CallKind = 'user' | 'poll' | 'anonymous'

export interface Limiter {
  /** Counts a call of a user (by ID) or of an address. */
  call(kind: CallKind, subject: string | number): Promise<Verdict>
  /**
   * Takes one of the attempts that a user name has; given back unless the attempt fails.
   *
   * @throws EngineUnavailableError when attempts cannot be counted: nobody logs in by guessing meanwhile.
   */
  attempt(userName: string): Promise<{ verdict: Verdict; giveBack(): Promise<void>; clear(): Promise<void> }>
}

/** Milliseconds that counting may take, and for which a Redis that failed is not asked again. */
const patience = 1000
const pause = 1000

const unlimited = ([rule]: readonly Rule[]): Verdict => ({
  admitted: true,
  limit: rule!.count,
  remaining: rule!.count,
  wait: 0,
  resetAt: Date.now() + rule!.seconds * 1000,
})

/** Says of every call what the rules would allow at most; counts nothing. */
export const noLimits = (rules: LimitRules): Limiter => ({
  call: async (kind) => unlimited(rules[kind]),
  attempt: async () => ({
    verdict: unlimited(rules.logIn),
    giveBack: async () => {},
    clear: async () => {},
  }),
})

/** Counts in `shared`, over all gateways; while that is away, calls are counted per process in `local`. */
export const limiter = (parts: {
  shared: CallLog
  local: CallLog
  rules: LimitRules
  log: Logger
}): Limiter => {
  const { shared, local, rules, log } = parts
  let awayUntil = 0

  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      // A busy process is late with its timers as well: answers that are here already are read first.
      const giveUp = () => reject(new EngineUnavailableError('redis'))
      timer = setTimeout(() => setImmediate(giveUp), patience)
    })
    try {
      return await Promise.race([work, late])
    } catch (error) {
      if (!isRedisAway(error) && !(error instanceof EngineUnavailableError)) throw error
      if (awayUntil <= performance.now()) log.warn({ err: error }, 'limits are counted without Redis')
      awayUntil = performance.now() + pause
      throw new EngineUnavailableError('redis', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async call(kind, subject) {
      const name = `${kind}:${subject}`
      if (awayUntil <= performance.now()) {
        try {
          return await inTime(shared.take(name, rules[kind]))
        } catch (error) {
          if (!(error instanceof EngineUnavailableError)) throw error
        }
      }
      return local.take(name, rules[kind])
    },
    async attempt(userName) {
      const name = `log-in:${userName}`
      const verdict = await inTime(shared.take(name, rules.logIn))
      return {
        verdict,
        giveBack: () => shared.giveBack(name),
        clear: () => shared.clear(name),
      }
    },
  }
}
