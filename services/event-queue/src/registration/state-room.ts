import { refuse } from '@parley/contracts'

/** What one state takes of the room for all of them. */
export interface Share {
  add(bytes: number): void
  /** Gives everything back; once more is no harm. */
  release(): void
}

/** Milliseconds that somebody waits for room. */
const patience = 3000

/** Milliseconds after which a state is not counted any more: its client has it, or is gone without a word. */
const longest = 60_000

/**
 * The bytes of states that are on their way to clients, in one process. Services write them at full pace, so that a
 * client that reads slowly holds memory here and no snapshot of a database; when there is too much of it, others wait.
 * How large a state will be nobody knows before it is there: it is taken to be as large as those before it.
 */
export class StateRoom {
  readonly #most: number
  readonly #line: { grant(): void }[] = []
  #held = 0
  #expected = 64 * 1024

  constructor(most: number) {
    this.#most = most
  }

  /** Bytes that are held, or expected. */
  get held(): number {
    return this.#held
  }

  /** @throws ApiError SERVER_NOT_READY when there is no room for too long. */
  enter(): Promise<Share> {
    if (this.#line.length === 0 && this.#hasRoom()) return Promise.resolve(this.#share())
    return new Promise((resolve, reject) => {
      const waiting = {
        grant: () => {
          clearTimeout(timer)
          resolve(this.#share())
        },
      }
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(waiting), 1)
        reject(refuse('SERVER_NOT_READY', 'Too many registrations are being answered. Please try again.'))
      }, patience)
      this.#line.push(waiting)
    })
  }

  /** One state always has room, however large. */
  #hasRoom(): boolean {
    return this.#held === 0 || this.#held + this.#expected <= this.#most
  }

  #share(): Share {
    let taken = this.#expected
    let own = 0
    let isOver = false
    this.#held += taken
    const release = (): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      this.#held -= taken
      this.#expected = Math.max(own, Math.ceil(this.#expected * 0.9))
      while (this.#line.length > 0 && this.#hasRoom()) this.#line.shift()!.grant()
    }
    const timer = setTimeout(release, longest).unref()
    return {
      add: (bytes) => {
        own += bytes
        if (isOver || own <= taken) return
        this.#held += own - taken
        taken = own
      },
      release,
    }
  }
}
