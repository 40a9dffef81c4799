import { type ClientRequest, request } from 'node:http'
import type { Socket } from 'node:net'
import { callerHeader, type TokenSigner } from '@parley/kit/caller-token'
import { linkPath, linkProtocol } from '@parley/kit/link-frames'
import { type Asking, Link, withCode } from './link.ts'

/** Load with which a link is full. */
const fullLoad = 256
/** What one takes that waits for minutes, and one that is answered at once. */
export const loads = { poll: 1, brief: 32 }
/** Links to one address, at most. */
const mostLinks = 16

/** Milliseconds for a link to open. */
const openTime = 5000
/** Milliseconds for which a service that knows no links is not asked for one again. */
const pauseWithout = 60_000
/** Milliseconds after which a link is replaced, give or take a quarter. */
const linkAge = 60_000

/** A link that is open, or about to be. */
interface Slot {
  readonly opening: Promise<Link | undefined>
  link: Link | undefined
  /** Of those who wait for it to open. */
  pendingLoad: number
  /** When it is to be replaced (`performance.now()`). */
  readonly oldAt: number
}

const loadOf = ({ link, pendingLoad }: Slot): number => pendingLoad + (link?.load ?? 0)

/**
 * The links to one address of a service. Several processes may share it (a Service of Kubernetes): which of them gets a
 * connection is decided when it is opened. So there are the more links the more is asked, and none gets old: every process
 * has its part of the load, and one that is new gets it within a minute or so.
 */
export class LinkPool {
  readonly #url: string
  readonly #signer: TokenSigner
  readonly #age: number
  readonly #slots = new Set<Slot>()
  readonly #links = new Set<Link>()
  #isOpening = false
  #withoutUntil = 0

  constructor(url: string, signer: TokenSigner, age = linkAge) {
    this.#url = url
    this.#signer = signer
    this.#age = age
  }

  /** Sends a question. The returned function withdraws it; nobody is told anything afterwards. */
  ask(asking: Asking): () => void {
    const { asker, load } = asking
    if (performance.now() < this.#withoutUntil) {
      queueMicrotask(() => asker.elsewhere())
      return () => {}
    }
    const slot = this.#slot()
    if (slot.link !== undefined) {
      const { link } = slot
      const number = link.ask(asking)
      return () => link.withdraw(number)
    }
    let withdraw: (() => void) | undefined
    let isOver = false
    slot.pendingLoad += load
    slot.opening
      .finally(() => {
        slot.pendingLoad -= load
      })
      .then(
        (link) => {
          if (isOver) return
          if (link === undefined) return asker.elsewhere()
          const number = link.ask(asking)
          withdraw = () => link.withdraw(number)
        },
        (error: Error) => {
          if (!isOver) asker.unreachable(error)
        },
      )
    return () => {
      isOver = true
      withdraw?.()
    }
  }

  close(): void {
    for (const link of this.#links) link.end(withCode('ECONNRESET', 'the gateway leaves'))
  }

  /** The one that has least to do. Nobody waits for another one to open while there is one that is open. */
  #slot(): Slot {
    let idlest: Slot | undefined
    let oldest: Slot | undefined
    let load = 0
    for (const slot of this.#slots) {
      load += loadOf(slot)
      if (oldest === undefined || slot.oldAt < oldest.oldAt) oldest = slot
      if (slot.link === undefined && idlest?.link !== undefined) continue
      const isFirstOpen = slot.link !== undefined && idlest?.link === undefined
      if (idlest === undefined || isFirstOpen || loadOf(slot) < loadOf(idlest)) idlest = slot
    }
    if (idlest === undefined || oldest === undefined) return this.#open()
    if (this.#isOpening) return idlest
    const isOld = oldest.link !== undefined && performance.now() > oldest.oldAt
    if (isOld && load < fullLoad * (this.#slots.size - 1)) {
      // The others can do without it.
      oldest.link?.retire()
      return this.#slot()
    }
    if (isOld)
      this.#open().opening.then(
        (link) => link !== undefined && oldest.link?.retire(),
        () => {},
      )
    else if (loadOf(idlest) >= fullLoad && this.#slots.size < mostLinks) this.#open().opening.catch(() => {})
    return idlest
  }

  #open(): Slot {
    const remove = (): void => void this.#slots.delete(slot)
    const opened = this.#connect().then((socket) => {
      if (socket === undefined) return undefined
      const link = new Link(socket, remove)
      slot.link = link
      this.#links.add(link)
      socket.once('close', () => this.#links.delete(link))
      return link
    })
    const slot: Slot = {
      opening: opened.finally(() => {
        this.#isOpening = false
        if (slot.link === undefined) remove()
      }),
      link: undefined,
      pendingLoad: 0,
      oldAt: performance.now() + this.#age * (0.75 + Math.random() / 2),
    }
    this.#isOpening = true
    this.#slots.add(slot)
    return slot
  }

  /** Undefined when the service wants to be asked by requests of their own. */
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
        // 403: it is leaving; others at this address are not.
        if (response.statusCode !== 403) this.#withoutUntil = performance.now() + pauseWithout
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
