import type { LastSeen } from '@parley/contracts/objects/presence'
import { presenceChanged } from '@parley/contracts/presence/events'
import type { UserDirectory } from '../accounts/user-directory.ts'
import type { LiveEvents } from '../live/live-events.ts'
import type { Log } from '../room.ts'

/** Milliseconds for which those who come back after another one wait for each other. */
const togetherTime = 1000
/** The most that one record tells of; the others are in the next. */
const perRecord = 500

interface NewsParts {
  readonly users: UserDirectory
  readonly live: LiveEvents
  readonly log: Log
  /** Online at once, above which nothing is told. */
  readonly mostOnline: number
  /** Whether an organization is told at all. */
  readonly mayTell: (realmId: number) => boolean
}

/**
 * Tells an organization who came back: the first at once, those who follow within a second together. Larger organizations
 * are told nothing: there it would cost as much as all users times all users, and each learns it by the next ping.
 */
export class PresenceNews {
  readonly #parts: NewsParts
  /** Organizations that were told something within the last second, and what they will be told next. */
  readonly #waiting = new Map<number, { came: Map<number, LastSeen>; timer: NodeJS.Timeout }>()

  constructor(parts: NewsParts) {
    this.#parts = parts
  }

  /** Somebody came back, while so many are online. */
  cameBack(realmId: number, userId: number, seen: LastSeen, online: number): void {
    if (online <= this.#parts.mostOnline) this.tell(realmId, userId, seen)
  }

  /** Somebody showed or hid themselves: told whatever the size, since it is a person's act. */
  tell(realmId: number, userId: number, seen: LastSeen): void {
    if (!this.#parts.mayTell(realmId)) return
    const waiting = this.#waiting.get(realmId)
    if (waiting !== undefined) {
      waiting.came.set(userId, seen)
      return
    }
    this.#wait(realmId)
    this.#publish(realmId, new Map([[userId, seen]]))
  }

  /** Tells what is waiting. */
  async stop(): Promise<void> {
    for (const [realmId, { came, timer }] of this.#waiting) {
      clearTimeout(timer)
      if (came.size > 0) await this.#announce(realmId, came)
    }
    this.#waiting.clear()
  }

  #wait(realmId: number): void {
    const timer = setTimeout(() => {
      const { came } = this.#waiting.get(realmId)!
      if (came.size === 0) {
        this.#waiting.delete(realmId)
        return
      }
      this.#wait(realmId)
      this.#publish(realmId, came)
    }, togetherTime)
    this.#waiting.set(realmId, { came: new Map(), timer })
  }

  #publish(realmId: number, came: ReadonlyMap<number, LastSeen>): void {
    this.#announce(realmId, came).catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'nobody was told who came back'),
    )
  }

  async #announce(realmId: number, came: ReadonlyMap<number, LastSeen>): Promise<void> {
    const accounts = await this.#parts.users.byIds(realmId, came.keys())
    const seen = [...came].flatMap(([userId, times]) => {
      const account = accounts.get(userId)
      return account?.is_active ? [{ user_id: userId, email: account.email, ...times }] : []
    })
    for (let from = 0; from < seen.length; from += perRecord) {
      this.#parts.live.emit(
        presenceChanged,
        { realm: realmId, everyone: true },
        { server_timestamp: Date.now() / 1000, seen: seen.slice(from, from + perRecord) },
      )
    }
  }
}
