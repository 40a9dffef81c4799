import { refuse } from '@parley/contracts'

/** What one state takes of the room for all of them. */
export interface Share {
  add(bytes: number): void
  /** Gives everything back; once more is no harm. */
  release(): void
}

/** Milliseconds after which a state is not counted any more: its client has it, or is gone without a word. */
const longest = 60_000

/**
 * The bytes of states that are on their way to clients, in one process. Services write them at full pace, so that a
 * client that reads slowly holds memory here and no snapshot of a database; when there is too much of it, nobody else
 * may begin.
 */
export class StateRoom {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held
  }

  /** @throws ApiError SERVER_NOT_READY when states take too much already. */
  enter(): Share {
    if (this.#held >= this.#most) {
      throw refuse('SERVER_NOT_READY', 'Too many registrations are being answered. Please try again.')
    }
    let own = 0
    let isOver = false
    const release = (): void => {
      clearTimeout(timer)
      isOver = true
      this.#held -= own
      own = 0
    }
    const timer = setTimeout(release, longest).unref()
    return {
      add: (bytes) => {
        if (isOver) return
        own += bytes
        this.#held += bytes
      },
      release,
    }
  }
}
