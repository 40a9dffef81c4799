import { EngineUnavailableError } from '@parley/contracts'
import { LRUCache } from 'lru-cache'

/** What identity answered, and of whom it speaks. */
export interface Filled<V> {
  readonly value: V
  /** The account or organization that the value is about; null when there is none (a negative answer). */
  readonly subject: number | null
  /** Version of the subject's state; newer states have higher ones. */
  readonly version: number
}

export interface FactCache<V> {
  /** The value, when it is at hand and young enough. */
  get(key: string): V | undefined
  /**
   * Asks for the value of a key, once for all who want it at the same time, and keeps it unless a fact said
   * meanwhile that it is outdated. `scope` is the organization of the key.
   *
   * @throws what `ask` throws, and EngineUnavailableError when every answer was older than the facts; nothing is kept.
   */
  fill(key: string, scope: number, ask: () => Promise<Filled<V>>): Promise<V>
  /** A fact: the subject's state now has this version. Drops what is older, and every negative answer of the scope. */
  outdate(scope: number, subject: number, version: number): void
}

/** Milliseconds for which "there is no such account" is believed without asking again. */
const negativeAge = 2000

/** Milliseconds for which versions and changes are remembered: longer than any question to identity can take. */
const memoryAge = 60_000

/** How often an answer is asked for that is outdated each time it comes. */
const attempts = 3

interface Entry<V> {
  readonly value: V
  readonly subject: number
  readonly version: number
  readonly since: number
}

/**
 * A cache that is never older than the facts it has heard. An answer that was on its way while its subject
 * changed is recognised by its version; a negative answer has none, so any change in its organization voids it.
 *
 * @param maxAge milliseconds for which an entry may be used, asked at each use: short while facts cannot be heard.
 */
export const factCache = <V>(options: { max: number; maxAge: () => number }): FactCache<V> => {
  const keysOf = new Map<number, Set<string>>()
  const forget = (key: string, subject: number): void => {
    const keys = keysOf.get(subject)
    keys?.delete(key)
    if (keys?.size === 0) keysOf.delete(subject)
  }
  const entries = new LRUCache<string, Entry<V>>({
    max: options.max,
    dispose: (entry, key) => forget(key, entry.subject),
  })
  // Apart, so that guesses cannot push real accounts out.
  const negatives = new LRUCache<string, { value: V; scope: number; change: number }>({
    max: 10_000,
    ttl: negativeAge,
  })
  const pending = new Map<string, Promise<V>>()
  const newestVersion = new LRUCache<number, number>({ max: 100_000, ttl: memoryAge })
  const changes = new LRUCache<number, number>({ max: 100_000, ttl: memoryAge })
  let lastChange = 0

  const changeOf = (scope: number): number => changes.get(scope) ?? 0

  const keep = (key: string, entry: Entry<V>): void => {
    entries.set(key, entry)
    const keys = keysOf.get(entry.subject)
    if (keys === undefined) keysOf.set(entry.subject, new Set([key]))
    else keys.add(key)
  }

  const ask = async (key: string, scope: number, question: () => Promise<Filled<V>>): Promise<V> => {
    for (let attempt = 1; ; attempt += 1) {
      const change = changeOf(scope)
      const { value, subject, version } = await question()
      if (subject === null) {
        if (changeOf(scope) === change) {
          negatives.set(key, { value, scope, change })
          return value
        }
      } else if (version >= (newestVersion.get(subject) ?? version)) {
        keep(key, { value, subject, version, since: performance.now() })
        return value
      }
      if (attempt === attempts) throw new EngineUnavailableError('identity')
    }
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry !== undefined) {
        if (performance.now() - entry.since < options.maxAge()) return entry.value
        entries.delete(key)
        return undefined
      }
      const negative = negatives.get(key)
      return negative !== undefined && changeOf(negative.scope) === negative.change
        ? negative.value
        : undefined
    },
    fill(key, scope, question) {
      const asked = pending.get(key)
      if (asked !== undefined) return asked
      const answer = ask(key, scope, question).finally(() => pending.delete(key))
      pending.set(key, answer)
      return answer
    },
    outdate(scope, subject, version) {
      lastChange += 1
      changes.set(scope, lastChange)
      if (version <= (newestVersion.get(subject) ?? -1)) return
      newestVersion.set(subject, version)
      for (const key of keysOf.get(subject) ?? []) {
        const entry = entries.peek(key)
        if (entry !== undefined && entry.version < version) entries.delete(key)
      }
    },
  }
}
