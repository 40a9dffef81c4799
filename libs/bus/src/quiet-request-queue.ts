import { createRequire } from 'node:module'

interface RequestQueue {
  readonly pending: readonly unknown[]
  /** Milliseconds since the epoch; -1 when the broker has never slowed this client down. */
  readonly throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  checkPendingRequests(): void
  scheduleCheckPendingRequests(): void
}

/** Milliseconds between looks while too many requests are in flight; the client's own number. */
const checkInterval = 10

/**
 * The client (kafkajs 2.2.4) looks after requests that wait to be sent by a timer that sets itself
 * again for ever, of one millisecond, for each connection that was ever used: most of what an idle system burned. Here the
 * timer is set while something waits; whatever has to wait sets it.
 */
export const quietRequestQueue = (): void => {
  const require = createRequire(import.meta.url)
  const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue }
  prototype.scheduleCheckPendingRequests = function schedule(this: RequestQueue): void {
    if (this.throttleCheckTimeoutId !== null && this.throttleCheckTimeoutId !== undefined) return
    if (this.pending.length === 0) return
    const throttled = this.throttledUntil - Date.now()
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null
        this.checkPendingRequests()
      },
      throttled > 0 ? throttled : checkInterval,
    )
  }
}
