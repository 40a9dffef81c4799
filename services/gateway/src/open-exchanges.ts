import type { Server } from 'node:http'
import type { Exchange } from './exchange.ts'

/** The requests under way, so that the process can leave without cutting one off. */
export class OpenExchanges {
  readonly #open = new Set<Exchange>()
  #isDraining = false
  #server: Server | undefined
  #emptied: (() => void) | undefined

  /** The server whose connections the exchanges use. */
  attach(server: Server): void {
    this.#server = server
  }

  add(exchange: Exchange): void {
    this.#open.add(exchange)
    if (this.#isDraining) exchange.response.shouldKeepAlive = false
  }

  remove(exchange: Exchange): void {
    this.#open.delete(exchange)
    if (this.#isDraining && this.#open.size === 0) this.#emptied?.()
  }

  /**
   * Answers waiting long-polls at once and lets everything else finish; connections close with their answer. Called
   * when the server has stopped to accept.
   */
  async drain(): Promise<void> {
    this.#isDraining = true
    const emptied = new Promise<void>((resolve) => {
      this.#emptied = resolve
    })
    for (const exchange of [...this.#open]) {
      if (!exchange.response.headersSent) exchange.response.shouldKeepAlive = false
      exchange.answerEarly?.()
    }
    if (this.#open.size > 0) await emptied
    // Answers that had begun before promised to keep their connection.
    setImmediate(() => this.#server?.closeIdleConnections())
  }
}
