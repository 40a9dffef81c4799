import { EngineUnavailableError } from '@parley/contracts'
import { isDropped, isLost, isWorthRepeating, typed } from './postgres-errors.ts'
import { maxAttempts, pauseAfter } from './repeating.ts'

/**
 * Told of each statement when it is asked, waiting for a connection included; what it returns is told of the answer, with
 * the error when there was one. The name (`SELECT users`) has no values in it.
 */
export type StatementWatch = (name: () => string) => (error?: unknown) => void

/** How long an answer may take, what to do about connections that gave none, and who watches. */
export interface Care {
  /** Undefined: as long as it likes. */
  readonly milliseconds: number | undefined
  passed(): void
  readonly watch: StatementWatch
}

/** Where the queries of one transaction stop: a connection that was lost must not be written to again. */
export interface Lifeline {
  /** Why nothing more can be asked; undefined while the transaction lives. */
  cut: unknown
}

/** The driver's query object (postgres 3.4.9, src/query.js), as far as it is used here. */
interface DriverQuery extends Promise<unknown> {
  handler: (query: DriverQuery) => void
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  cancel(): unknown
  /** The template's text around its values. */
  readonly strings: readonly string[]
  /** Set once the query was given to a connection. */
  state: unknown
  /** Made from the template's values when the query is sent, unless it has them; written over by what is sent. */
  parameters?: unknown
  /** Set for queries that are read piece by piece, in the reader's own time. */
  readonly cursorFn?: unknown
  readonly forEachFn?: unknown
  readonly streaming?: boolean
}

type Callable = (...args: unknown[]) => unknown

/**
 * The same tagged template, whose queries fail well: an engine that is away, too slow, or silent is an
 * EngineUnavailableError, before long, and a transaction that lost its connection sends nothing more. (The driver would
 * write to a closed socket, which ends the process, or to the pool's next connection, outside of the transaction.) A
 * statement that is no part of a transaction runs again after a deadlock.
 */
export const failingWell = <S extends object>(sql: S, care: Care, lifeline?: Lifeline): S =>
  new Proxy(sql, {
    apply: (target, self, args) => cared(Reflect.apply(target as Callable, self, args), care, lifeline),
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === 'unsafe' || name === 'file') {
        return (...args: unknown[]) => cared((value as Callable)(...args), care, lifeline)
      }
      if (name === 'savepoint') {
        return (...args: unknown[]) => {
          const work = args.pop() as (nested: S) => unknown
          return (value as Callable)(...args, (nested: S) => work(failingWell(nested, care, lifeline)))
        }
      }
      return value
    },
  })

/** Only queries are promises; the other results of the template are fragments of queries. */
const cared = (made: unknown, care: Care, lifeline?: Lifeline): unknown => {
  if (!(made instanceof Promise)) return made
  const query = made as DriverQuery
  const { handler } = query
  query.handler = (asked) => {
    if (lifeline?.cut !== undefined) return asked.reject(lifeline.cut)
    const { resolve, reject } = asked
    const end = care.watch(() => statementName(asked.strings))
    const timer = isReadInPieces(asked) ? undefined : limited(asked, care)
    let isHandedAgain = false
    let attempts = 1
    let repeat: NodeJS.Timeout | undefined
    asked.resolve = (value) => {
      clearTimeout(timer)
      end()
      resolve(value)
    }
    asked.reject = (error) => {
      if (!isHandedAgain && asked.state === null && isDropped(error)) {
        // Never sent: a connection that opens again passes the end of its last session on to whoever waits for it.
        isHandedAgain = true
        return handler(asked)
      }
      const isRepeatable = lifeline === undefined && !isReadInPieces(asked) && isWorthRepeating(error)
      if (isRepeatable && attempts < maxAttempts) {
        repeat = setTimeout(() => {
          asked.state = null
          asked.parameters = undefined
          handler(asked)
        }, pauseAfter(attempts))
        attempts += 1
        return
      }
      clearTimeout(timer)
      clearTimeout(repeat)
      const failure = isRepeatable ? new EngineUnavailableError('postgres', { cause: error }) : typed(error)
      end(failure)
      // Before the code that waits for this query learns of it, and can ask again.
      if (lifeline !== undefined && isLost(error)) {
        lifeline.cut = failure
      }
      reject(failure)
    }
    handler(asked)
  }
  return query
}

/** Its verb, and the first table or function that it names. */
const statementName = (strings: readonly string[]): string => {
  const text = strings.join('?')
  const verb = /[A-Z]+/i.exec(text)?.[0].toUpperCase() ?? ''
  const target = /\b(?:FROM|INTO|UPDATE)\s+([a-z_]\w*)/.exec(text)?.[1]
  return target === undefined ? verb : `${verb} ${target}`
}

const isReadInPieces = (query: DriverQuery): boolean =>
  query.cursorFn !== undefined || query.forEachFn !== undefined || query.streaming === true

const limited = (query: DriverQuery, { milliseconds, passed }: Care): NodeJS.Timeout | undefined => {
  if (milliseconds === undefined) return undefined
  return setTimeout(() => {
    const isWaitingForConnection = query.state === null
    query.reject(noAnswer(milliseconds))
    if (isWaitingForConnection) query.cancel()
    passed()
  }, milliseconds)
}

/** Waits for `work`, but not beyond the deadline. */
export const within = async <T>(
  { milliseconds, passed }: Pick<Care, 'milliseconds' | 'passed'>,
  work: Promise<T>,
): Promise<T> => {
  if (milliseconds === undefined) return work
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(typed(noAnswer(milliseconds)))
          passed()
        }, milliseconds)
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}

const noAnswer = (milliseconds: number): Error =>
  Object.assign(new Error(`no answer from PostgreSQL in ${milliseconds} ms`), { code: 'ETIMEDOUT' })
