import { type ClientRequest, request } from 'node:http'
import type { Socket } from 'node:net'
import { callerHeader, type TokenSigner } from '@parley/kit/caller-token'
import {
  type AskedPoll,
  type Frame,
  FrameReader,
  FrameWriter,
  frameKinds,
  type LinkedAnswer,
  linkPath,
  linkProtocol,
  readAnswer,
} from '@parley/kit/link-frames'

/** Who waits for the answer to a poll. */
export interface Asker {
  answered(answer: LinkedAnswer): void
  /** The service wants to be asked by a request of its own. */
  elsewhere(): void
  /** With a `code` as node and undici have them. */
  failed(error: Error): void
}

/** Milliseconds for a link to open, for an answer to come, and between two looks at who waits for too long. */
const openTime = 5000
const answerTime = 120_000
const lookInterval = 5000
/** Milliseconds for which a service that knows no links is not asked for one again. */
const pauseWithout = 60_000

interface Waiting {
  readonly asker: Asker
  readonly since: number
}

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** The polls of one replica, over one connection, which is opened when it is needed. */
export class PollLink {
  readonly #url: string
  readonly #signer: TokenSigner
  #current: Promise<Link | undefined> | undefined
  readonly #links = new Set<Link>()
  #withoutUntil = 0

  constructor(url: string, signer: TokenSigner) {
    this.#url = url
    this.#signer = signer
  }

  /** Sends a poll. The returned function withdraws it; nobody is told anything afterwards. */
  ask(poll: AskedPoll, asker: Asker): () => void {
    let isOver = false
    let link: Link | undefined
    let number = 0
    if (performance.now() < this.#withoutUntil) {
      queueMicrotask(() => asker.elsewhere())
      return () => {}
    }
    this.#open().then(
      (opened) => {
        if (isOver) return
        if (opened === undefined) return asker.elsewhere()
        link = opened
        number = opened.ask(poll, asker)
      },
      (error: Error) => {
        if (!isOver) asker.failed(error)
      },
    )
    return () => {
      isOver = true
      link?.withdraw(number)
    }
  }

  close(): void {
    for (const link of this.#links) link.end(withCode('ECONNRESET', 'the gateway leaves'))
  }

  #open(): Promise<Link | undefined> {
    this.#current ??= this.#connect().then(
      (socket) => {
        if (socket === undefined) {
          this.#withoutUntil = performance.now() + pauseWithout
          this.#current = undefined
          return undefined
        }
        const link = new Link(socket, () => {
          this.#current = undefined
        })
        this.#links.add(link)
        socket.once('close', () => this.#links.delete(link))
        return link
      },
      (error: unknown) => {
        this.#current = undefined
        throw error
      },
    )
    return this.#current
  }

  /** Undefined when the service does not know links. */
  async #connect(): Promise<Socket | undefined> {
    const token = await this.#signer.sign(null)
    return new Promise((resolve, reject) => {
      const asking: ClientRequest = request(`${this.#url}${linkPath}`, {
        agent: false,
        headers: { connection: 'upgrade', upgrade: linkProtocol, [callerHeader]: token },
      })
      const timer = setTimeout(
        () => asking.destroy(withCode('UND_ERR_CONNECT_TIMEOUT', 'no link in time')),
        openTime,
      )
      asking.once('upgrade', (_response, socket: Socket, head: Buffer) => {
        clearTimeout(timer)
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      })
      asking.once('response', (response) => {
        clearTimeout(timer)
        response.resume()
        asking.destroy()
        resolve(undefined)
      })
      asking.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      asking.end()
    })
  }
}

class Link {
  readonly #socket: Socket
  readonly #writer: FrameWriter
  readonly #reader = new FrameReader()
  /** Called once, when no further polls may be sent. */
  readonly #onUnusable: () => void
  /** The one that waits for longest first. */
  readonly #waiting = new Map<number, Waiting>()
  readonly #clock: NodeJS.Timeout
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

  ask(poll: AskedPoll, asker: Asker): number {
    this.#lastNumber = (this.#lastNumber % 0xffffffff) + 1
    this.#waiting.set(this.#lastNumber, { asker, since: performance.now() })
    this.#writer.write(this.#lastNumber, frameKinds.ask, JSON.stringify(poll))
    return this.#lastNumber
  }

  withdraw(number: number): void {
    if (!this.#waiting.delete(number)) return
    if (!this.#socket.destroyed) this.#writer.write(number, frameKinds.gone)
    this.#endWhenDone()
  }

  end(reason: Error): void {
    this.#failure = reason
    this.#socket.destroy()
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
      this.#retire()
      return
    }
    const waiting = this.#waiting.get(number)
    // It was withdrawn while its answer was on the way.
    if (waiting === undefined) return
    this.#waiting.delete(number)
    if (kind === frameKinds.answer) waiting.asker.answered(readAnswer(content))
    else waiting.asker.elsewhere()
  }

  /** Whoever waits gets an answer still; then both sides let go. */
  #retire(): void {
    if (!this.#isUsable) return
    this.#isUsable = false
    this.#onUnusable()
  }

  #endWhenDone(): void {
    if (!this.#isUsable && this.#waiting.size === 0) this.#socket.destroy()
  }

  #closed(): void {
    clearInterval(this.#clock)
    this.#retire()
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { asker } of waiting) asker.failed(this.#failure)
  }

  /** A poll that is not answered was lost, by its service or with the connection. */
  #look(): void {
    const now = performance.now()
    for (const [number, { asker, since }] of this.#waiting) {
      if (now - since < answerTime) return
      const late = withCode('UND_ERR_HEADERS_TIMEOUT', 'no answer in time')
      if (this.#lastHeard < since) {
        this.end(late)
        return
      }
      this.withdraw(number)
      asker.failed(late)
    }
  }
}
