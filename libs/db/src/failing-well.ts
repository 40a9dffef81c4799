import { isDropped, isLost, typed } from './postgres-errors.ts'

/** How long an answer may take, and what to do about connections that gave none. */
export interface Deadline {
  /** Undefined: as long as it likes. */
  readonly milliseconds: number | undefined
  passed(): void
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
  /** Set once the query was given to a connection. */
  readonly state: unknown
  /** Set for queries that are read piece by piece, in the reader's own time. */
  readonly cursorFn?: unknown
  readonly forEachFn?: unknown
  readonly streaming?: boolean
}

type Callable = (...args: unknown[]) => unknown

/**
 * The same tagged template, whose queries fail well: an engine that is away, too slow, or silent is an
 * EngineUnavailableError, before long, and a transaction that lost its connection sends nothing more. (The driver would
 * write to a closed socket, which ends the process, or to the pool's next connection, outside of the transaction.)
 */
export const failingWell = <S extends object>(sql: S, deadline: Deadline, lifeline?: Lifeline): S =>
  new Proxy(sql, {
    apply: (target, self, args) => cared(Reflect.apply(target as Callable, self, args), deadline, lifeline),
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === 'unsafe' || name === 'file') {
        return (...args: unknown[]) => cared((value as Callable)(...args), deadline, lifeline)
      }
      if (name === 'savepoint') {
        return (...args: unknown[]) => {
          const work = args.pop() as (nested: S) => unknown
          return (value as Callable)(...args, (nested: S) => work(failingWell(nested, deadline, lifeline)))
        }
      }
      return value
    },
  })

/** Only queries are promises; the other results of the template are fragments of queries. */
const cared = (made: unknown, deadline: Deadline, lifeline?: Lifeline): unknown => {
  if (!(made instanceof Promise)) return made
  const query = made as DriverQuery
  const { handler } = query
  query.handler = (asked) => {
    if (lifeline?.cut !== undefined) return asked.reject(lifeline.cut)
    const { resolve, reject } = asked
    const timer = isReadInPieces(asked) ? undefined : limited(asked, deadline)
    let isHandedAgain = false
    asked.resolve = (value) => {
      clearTimeout(timer)
      resolve(value)
    }
    asked.reject = (error) => {
      if (!isHandedAgain && asked.state === null && isDropped(error)) {
        // Never sent: a connection that opens again passes the end of its last session on to whoever waits for it.
        isHandedAgain = true
        return handler(asked)
      }
      clearTimeout(timer)
      const failure = typed(error)
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

const isReadInPieces = (query: DriverQuery): boolean =>
  query.cursorFn !== undefined || query.forEachFn !== undefined || query.streaming === true

const limited = (query: DriverQuery, { milliseconds, passed }: Deadline): NodeJS.Timeout | undefined => {
  if (milliseconds === undefined) return undefined
  return setTimeout(() => {
    const isWaitingForConnection = query.state === null
    query.reject(noAnswer(milliseconds))
    if (isWaitingForConnection) query.cancel()
    passed()
  }, milliseconds)
}

/** Waits for `work`, but not beyond the deadline. */
export const within = async <T>({ milliseconds, passed }: Deadline, work: Promise<T>): Promise<T> => {
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
