import type { Database, Sql } from '@parley/db'
import { notifier } from '@parley/db/notifier'
import type { Running } from '@parley/kit'

/** A thing of identity's that this service has a copy of. */
interface Thing {
  readonly topic: string
  readonly id: number
}

/** Rung when a state of a thing was stored, whichever process of this service did it. */
export interface NewsBell extends Running {
  /** This process stored it, and it is durable. */
  ring(topic: string, id: number): void
  /**
   * The listener is called when it is rung for one of these, and when it may have been, unheard. Returns what ends that. A
   * ring of another process can be lost: who waits looks from time to time.
   */
  onRing(things: readonly Thing[], listener: () => void): () => void
}

/** Where processes that share the database tell each other. */
const channel = 'news'
/**
 * Milliseconds after the last one who waited for which others are still listened to. Not for ever: every notification, that
 * of a sent message as well, wakes all sessions that listen to anything in the database.
 */
const attention = 10_000

const nameOf = ({ topic, id }: Thing): string => `${topic}/${id}`

export const newsBell = (database: Database): NewsBell => {
  const listeners = new Map<string, Set<() => void>>()
  const tellOthers = notifier(database, channel)
  let session: Sql | undefined
  let quiet: NodeJS.Timeout | undefined

  const wake = (name: string): void => {
    for (const listener of listeners.get(name) ?? []) listener()
  }
  const wakeAll = (): void => {
    for (const name of listeners.keys()) wake(name)
  }
  const hear = (): void => {
    clearTimeout(quiet)
    if (session !== undefined) return
    session = database.dedicated()
    // The driver listens again by itself, after a loss and where it could not begin; what was told meanwhile is unheard.
    session.listen(channel, wake, wakeAll).catch(() => {})
  }
  const stop = async (): Promise<void> => {
    clearTimeout(quiet)
    const ended = session
    session = undefined
    await ended?.end({ timeout: 1 }).catch(() => {})
  }
  const leave = (name: string, listener: () => void): void => {
    const left = listeners.get(name)
    left?.delete(listener)
    if (left?.size === 0) listeners.delete(name)
  }
  return {
    ring(topic, id) {
      const name = nameOf({ topic, id })
      wake(name)
      tellOthers(name)
    },
    onRing(things, listener) {
      const names = things.map(nameOf)
      for (const name of names) listeners.set(name, (listeners.get(name) ?? new Set()).add(listener))
      hear()
      return () => {
        for (const name of names) leave(name, listener)
        if (listeners.size > 0) return
        clearTimeout(quiet)
        quiet = setTimeout(stop, attention).unref()
      }
    },
    stop,
  }
}
