import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One direction of a connection: passes on what it is given, in order, and as late as the line says. */
const carry = (from: Socket, to: Socket, delay: () => number, isHeld: () => boolean): (() => void) => {
  const waiting: { due: number; chunk: Buffer | undefined }[] = []
  let timer: NodeJS.Timeout | undefined
  const pass = (chunk: Buffer | undefined): void => {
    if (to.destroyed) return
    if (chunk === undefined) to.end()
    else if (!to.write(chunk)) from.pause()
  }
  const flush = (): void => {
    timer = undefined
    while (waiting.length > 0 && waiting[0]!.due <= performance.now()) pass(waiting.shift()!.chunk)
    if (waiting.length > 0) timer = setTimeout(flush, Math.max(1, waiting[0]!.due - performance.now()))
  }
  const take = (chunk: Buffer | undefined): void => {
    const late = delay()
    if (late === 0 && waiting.length === 0) {
      pass(chunk)
      return
    }
    // Never before what came earlier.
    waiting.push({ due: Math.max(performance.now() + late, waiting.at(-1)?.due ?? 0), chunk })
    timer ??= setTimeout(flush, late)
  }
  from.on('data', take)
  from.on('end', () => take(undefined))
  to.on('drain', () => {
    if (!isHeld()) from.resume()
  })
  return () => clearTimeout(timer)
}

/** A TCP line to one process, whose connections can be broken in the ways in which networks do that. */
export class Line {
  readonly name: string
  readonly port: number
  readonly #open = new Set<Socket>()
  readonly #close: () => void
  #isCut = false
  #isHeld = false
  #delay = 0

  private constructor(name: string, target: number, server: ReturnType<typeof createServer>) {
    this.name = name
    this.port = (server.address() as AddressInfo).port
    this.#close = () => server.close()
    server.on('connection', (client) => {
      if (this.#isCut) return void client.resetAndDestroy()
      const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
      const delay = () => this.#delay
      const isHeld = () => this.#isHeld
      const stops = [carry(client, upstream, delay, isHeld), carry(upstream, client, delay, isHeld)]
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#open.add(socket)
        socket.setNoDelay(true)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#open.delete(socket)
          for (const stop of stops) stop()
          other.destroy()
        })
        if (this.#isHeld) socket.pause()
      }
    })
  }

  static async to(name: string, target: number): Promise<Line> {
    const server = createServer({ allowHalfOpen: true })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new Line(name, target, server)
  }

  /** Every connection ends at once with a reset; new ones work. */
  reset(): void {
    for (const socket of this.#open) socket.resetAndDestroy()
  }

  /** Every connection ends, and new ones are refused until it is mended. */
  cut(): void {
    this.#isCut = true
    this.reset()
  }

  /** Nothing passes until it is mended; nothing ends either, and nothing is lost. */
  hold(): void {
    this.#isHeld = true
    for (const socket of this.#open) socket.pause()
  }

  /** Everything passes later by so many milliseconds. */
  delay(milliseconds: number): void {
    this.#delay = milliseconds
  }

  mend(): void {
    this.#isCut = false
    this.#delay = 0
    if (!this.#isHeld) return
    this.#isHeld = false
    for (const socket of this.#open) socket.resume()
  }

  close(): void {
    this.#close()
    for (const socket of this.#open) socket.destroy()
  }
}
