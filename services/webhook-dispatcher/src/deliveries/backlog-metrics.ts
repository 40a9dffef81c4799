import type { Database } from '@parley/db'
import { Gauge } from 'prom-client'
import { backlog } from './delivery-store.ts'

/** Gauges of what waits, looked up when they are asked for. */
export const watchBacklog = (database: Database): void => {
  const late = new Gauge({
    name: 'parley_webhook_late_seconds',
    help: 'For how long the oldest delivery that is due has been due.',
  })
  new Gauge({
    name: 'parley_webhook_pending',
    help: 'Deliveries that are not over.',
    async collect() {
      try {
        const { pending, late_seconds } = await backlog(database.sql)
        this.set(pending)
        late.set(late_seconds)
      } catch {
        // Without Postgres there is nothing to tell; that it is away is told elsewhere.
        this.reset()
        late.reset()
      }
    },
  })
}
