import type { SnapshotSql } from '@parley/db'

/**
 * What several sections of a registration read: a snapshot never gives another answer, so the first one's is kept for as
 * long as the snapshot lives. `args` are numbers and texts.
 */
export const oncePerSnapshot = <Args extends readonly (number | string)[], T>(
  read: (sql: SnapshotSql, ...args: Args) => Promise<T>,
): ((sql: SnapshotSql, ...args: Args) => Promise<T>) => {
  const answers = new WeakMap<SnapshotSql, Map<string, Promise<T>>>()
  return (sql, ...args) => {
    const known = answers.get(sql) ?? new Map<string, Promise<T>>()
    answers.set(sql, known)
    const key = args.join('/')
    const answer = known.get(key) ?? read(sql, ...args)
    known.set(key, answer)
    return answer
  }
}
