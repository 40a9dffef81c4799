import type { Socket } from 'node:net'
import {
  type Frame,
  FrameReader,
  FrameWriter,
  frameKinds,
  type LinkedAnswer,
  type LinkedQuestion,
  readAnswer,
} from '@parley/kit/link-frames'

/** Who waits for the answer to a question. One of the four is called, once. */
export interface Asker {
  answered(answer: LinkedAnswer): void
  /** The service wants to be asked by a request of its own. */
  elsewhere(): void
  /** No link could be opened; nothing was asked. With a `code` as node and undici have them. */
  unreachable(error: Error): void
  /** No answer came; what was asked may have had its effect. With such a `code` too. */
  failed(error: Error): void
}

/** A question on its way. */
export interface Asking {
  readonly question: LinkedQuestion
  readonly asker: Asker
  /** Milliseconds until the answer has to be there. */
  readonly patience: number
  /** How much of a link it takes (`fullLoad`). */
  readonly load: number
}

/** Milliseconds between two looks at who waits for too long. */
const lookInterval = 5000

export const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** One open connection to a process of a service, and who waits for answers on it. */
export class Link {
  readonly #socket: Socket
  readonly #writer: FrameWriter
  readonly #reader = new FrameReader()
  /** Called once, when nothing further may be asked. */
  readonly #onUnusable: () => void
  readonly #waiting = new Map<number, { readonly asking: Asking; readonly since: number }>()
  readonly #clock: NodeJS.Timeout
  #load = 0
  #lastNumber = 0
  #lastHeard = performance.now()
  #isUsable = true
  #failure: Error = withCode('ECONNRESET', 'the link broke')

  constructor(socket: Socket, onUnusable: () => void) {
    this.#socket = socket
    this.#onUnusable = onUnusable
    this.#writer = new FrameWriter(socket)
    this.#clock = setInterval(() => this.#look(), lookInterval)
    this.#clock.unref()
    socket.setTimeout(0)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (piece: Buffer) => this.#receive(piece))
    socket.on('error', (error) => {
      this.#failure = error
    })
    socket.on('close', () => this.#closed())
  }

  /** Of all who wait. */
  get load(): number {
    return this.#load
  }

  ask(asking: Asking): number {
    this.#lastNumber = (this.#lastNumber % 0xffffffff) + 1
    this.#waiting.set(this.#lastNumber, { asking, since: performance.now() })
    this.#load += asking.load
    this.#writer.write(this.#lastNumber, frameKinds.ask, JSON.stringify(asking.question))
    return this.#lastNumber
  }

  withdraw(number: number): void {
    if (this.#forget(number) === undefined) return
    if (!this.#socket.destroyed) this.#writer.write(number, frameKinds.gone)
    this.#endWhenDone()
  }

  /** Nothing further is asked; whoever waits gets an answer still, then both sides let go. */
  retire(): void {
    if (!this.#isUsable) return
    this.#isUsable = false
    this.#onUnusable()
    this.#endWhenDone()
  }

  end(reason: Error): void {
    this.#failure = reason
    this.#socket.destroy()
  }

  #forget(number: number): Asker | undefined {
    const waiting = this.#waiting.get(number)
    if (waiting === undefined) return undefined
    this.#waiting.delete(number)
    this.#load -= waiting.asking.load
    return waiting.asking.asker
  }

  #receive(piece: Buffer): void {
    this.#lastHeard = performance.now()
    try {
      for (const frame of this.#reader.read(piece)) this.#take(frame)
    } catch (error) {
      this.end(Object.assign(error as Error, { code: 'ECONNRESET' }))
    }
    this.#endWhenDone()
  }

  #take({ number, kind, content }: Frame): void {
    if (kind === frameKinds.leaving) {
      this.retire()
      return
    }
    // Undefined: it was withdrawn while its answer was on the way.
    const asker = this.#forget(number)
    if (kind === frameKinds.answer) asker?.answered(readAnswer(content))
    else asker?.elsewhere()
  }

  #endWhenDone(): void {
    if (!this.#isUsable && this.#waiting.size === 0) this.#socket.destroy()
  }

  #closed(): void {
    clearInterval(this.#clock)
    this.retire()
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { asking } of waiting) asking.asker.failed(this.#failure)
  }

  /** What is not answered was lost, by the service or with the connection. */
  #look(): void {
    const now = performance.now()
    for (const [number, { asking, since }] of this.#waiting) {
      if (now - since < asking.patience) continue
      const late = withCode('UND_ERR_HEADERS_TIMEOUT', 'no answer in time')
      if (this.#lastHeard < since) {
        this.end(late)
        return
      }
      this.withdraw(number)
      asking.asker.failed(late)
    }
  }
}
