import type { Exchange } from './exchange.ts'

/** The requests under way, so that the process can leave without cutting one off. */
export class OpenExchanges {
  readonly #open = new Set<Exchange>()
  #isDraining = false
  #emptied: (() => void) | undefined

  /** Whether nobody is to wait here any more. */
  get isDraining(): boolean {
    return this.#isDraining
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
   * Answers waiting long-polls at once, those that still come as well, and lets everything else finish; connections close
   * with their answer. Called when the server has stopped to accept.
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
  }
}
