import { legacyPresence, type ModernPresence, modernPresence } from '@parley/contracts/objects/presence'
import { LRUCache } from 'lru-cache'
import type { PresenceChange, PresenceStore } from './presence-store.ts'
import { PresenceTexts } from './presence-texts.ts'

/** Organizations whose presences a process has at hand, and milliseconds after which one that nobody asks for is let go. */
const mostBoards = 10_000
const idleTime = 600_000
/** Changes that are read at once, so that no script keeps Redis from others for long. */
const perReading = 1000
/** Milliseconds within which Redis, too, has forgotten an account that ended. */
const departureTime = 600_000

/** A change, with the form of it that most clients read, made once for all of them. */
interface Posted extends PresenceChange {
  readonly modern: ModernPresence
  readonly text: string
  /** Where it stands on its board. */
  place: number
}

interface Board {
  /** The change up to which everything is posted. */
  latest: number
  /** By ID, ascending; those with a newer change of the same user are still among them until tidied. */
  posted: Posted[]
  readonly newest: Map<number, Posted>
  readonly texts: PresenceTexts<Posted>
  reading: Promise<void> | undefined
}

/**
 * The presences of organizations, as read from Redis and kept up with: a reading takes only what changed since the one
 * before, and serves all who ask meanwhile. So what Redis does for an answer does not depend on how long the answer is.
 */
export class PresenceBoards {
  readonly #store: Pick<PresenceStore, 'changes'>
  readonly #boards = new LRUCache<number, Board>({ max: mostBoards, ttl: idleTime, updateAgeOnGet: true })
  readonly #departed = new LRUCache<number, true>({ max: 100_000, ttl: departureTime })

  constructor(store: Pick<PresenceStore, 'changes'>) {
    this.#store = store
  }

  /**
   * What changed after a change, oldest first. `atLeast` is a change that has to be known already (that of the caller's
   * own ping).
   */
  async since(realmId: number, after: number, atLeast: number): Promise<readonly Posted[]> {
    const board = await this.#current(realmId, atLeast)
    const from = firstAfter(board.posted, after)
    return board.posted.slice(from).filter((change) => board.newest.get(change.userId) === change)
  }

  /** Everybody who was there at or after `since` (UNIX seconds), oldest change first; `latest` is the newest change. */
  async all(
    realmId: number,
    since: number,
    atLeast = Number.POSITIVE_INFINITY,
  ): Promise<{ latest: number; people: readonly Posted[] }> {
    const board = await this.#current(realmId, atLeast)
    const people = board.posted.filter(
      (change) => board.newest.get(change.userId) === change && change.seen.connected >= since,
    )
    return { latest: board.latest, people }
  }

  /** As {@link since}, as JSON text by user ID; `latest` is the newest change in it, if there is one. */
  async textSince(
    realmId: number,
    after: number,
    atLeast: number,
  ): Promise<{ latest: number | undefined; text: string }> {
    const board = await this.#current(realmId, atLeast)
    const { posted, newest, texts } = board
    const from = firstAfter(posted, after)
    let last = posted.length - 1
    while (last >= from && newest.get(posted[last]!.userId) !== posted[last]) last -= 1
    const latest = last < from ? undefined : posted[last]!.id
    return { latest, text: texts.from(posted, from, 0) }
  }

  /** As {@link all}, as JSON text by user ID. */
  async textOfAll(
    realmId: number,
    since: number,
    atLeast: number,
  ): Promise<{ latest: number; text: string }> {
    const { latest, posted, texts } = await this.#current(realmId, atLeast)
    return { latest, text: texts.from(posted, 0, since) }
  }

  /** An account has ended: whatever is still read of it is passed over. */
  remove(realmId: number, userId: number): void {
    this.#departed.set(userId, true)
    const board = this.#boards.peek(realmId)
    const posted = board?.newest.get(userId)
    if (posted === undefined) return
    board!.newest.delete(userId)
    board!.texts.forget(posted.place)
  }

  restore(userId: number): void {
    this.#departed.delete(userId)
  }

  async #current(realmId: number, atLeast: number): Promise<Board> {
    let board = this.#boards.get(realmId)
    if (board === undefined) {
      const newest = new Map<number, Posted>()
      const texts = new PresenceTexts<Posted>((change) => newest.get(change.userId) === change)
      board = { latest: -1, posted: [], newest, texts, reading: undefined }
      this.#boards.set(realmId, board)
    }
    // A reading that is under way may have begun before `atLeast` was there.
    if (board.latest < atLeast) await board.reading
    if (board.latest < atLeast) {
      board.reading ??= this.#read(realmId, board)
      await board.reading
    }
    return board
  }

  async #read(realmId: number, board: Board): Promise<void> {
    try {
      for (;;) {
        const { lastUpdateId, changes } = await this.#store.changes(realmId, board.latest, perReading)
        for (const change of changes) this.#post(board, change)
        if (changes.length < perReading) {
          board.latest = Math.max(board.latest, lastUpdateId)
          break
        }
      }
      if (board.posted.length > 2 * board.newest.size + perReading) tidy(board)
    } finally {
      board.reading = undefined
    }
  }

  #post(board: Board, change: PresenceChange): void {
    board.latest = Math.max(board.latest, change.id)
    if (this.#departed.has(change.userId)) return
    const modern = modernPresence(change.seen)
    const text = `"${change.userId}":${JSON.stringify(modern)}`
    const before = board.newest.get(change.userId)
    if (before !== undefined) board.texts.forget(before.place)
    const posted = { ...change, modern, text, place: board.posted.length }
    board.posted.push(posted)
    board.newest.set(change.userId, posted)
  }
}

const tidy = (board: Board): void => {
  board.posted = board.posted.filter((change) => board.newest.get(change.userId) === change)
  for (const [place, posted] of board.posted.entries()) posted.place = place
  board.texts.forgetAll()
}

/** Index of the first change with a higher ID. */
const firstAfter = (posted: readonly Posted[], after: number): number => {
  let low = 0
  let high = posted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (posted[middle]!.id > after) high = middle
    else low = middle + 1
  }
  return low
}

/** By user ID. */
export const modernPresences = (people: readonly Posted[]): Record<string, ModernPresence> => {
  const presences: Record<string, ModernPresence> = {}
  for (const { userId, modern } of people) presences[userId] = modern
  return presences
}

/** By API e-mail; of accounts that are there and active. */
export const legacyPresences = (
  people: readonly Posted[],
  accounts: ReadonlyMap<number, { readonly email: string; readonly is_active: boolean }>,
) => {
  const presences: Record<string, ReturnType<typeof legacyPresence>> = {}
  for (const { userId, seen } of people) {
    const account = accounts.get(userId)
    if (account?.is_active) presences[account.email] = legacyPresence(seen)
  }
  return presences
}
