import { Counter, Gauge } from 'prom-client'

/** Of every service that deletes its part. */
export const purgedRows = new Counter({
  name: 'parley_purged_rows_total',
  help: 'Rows of organizations that were deleted for good.',
})
export const purgesHere = new Gauge({
  name: 'parley_purges_open',
  help: 'Organizations whose data this process is deleting, or has still to delete.',
})

/** Of identity, which leads. */
export const purgesOpen = new Gauge({
  name: 'parley_realm_purges_open',
  help: 'Organizations whose data is being deleted.',
})
export const oldestPurge = new Gauge({
  name: 'parley_realm_purge_oldest_seconds',
  help: 'Since when the oldest of those is being deleted.',
})
