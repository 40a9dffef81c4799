import { parseArgs } from 'node:util'
import { ordinaryGap, skipIds } from '@parley/db/skip-ids'
import { databaseVariable, servicesWithDatabase } from './preparation.ts'

/**
 * To be run after databases were restored from a backup and before services start: what was given out after the backup was
 * taken (the ID of a message, an account, a file) is not given out again to something else. For each database whose address
 * is set, as for prepare.ts; safe to repeat.
 *
 *     <SERVICE>_DATABASE_URL   each service's own database, such as IDENTITY_DATABASE_URL
 *     --gap N                  more IDs than were given out of any kind since the backup (10,000,000)
 *     --new-log                Kafka is a new one: positions of consumers mean nothing in it
 */
const { values } = parseArgs({ options: { gap: { type: 'string' }, 'new-log': { type: 'boolean' } } })
const gap = Number(values.gap ?? ordinaryGap)
if (!Number.isSafeInteger(gap) || gap < 1 || gap > 1e12) {
  console.error('after-restore: --gap is a number of IDs')
  process.exit(2)
}
const databases = servicesWithDatabase.flatMap((service) => {
  const databaseUrl = process.env[databaseVariable(service)]
  return databaseUrl ? [{ service, databaseUrl }] : []
})
if (databases.length === 0) {
  console.error(`after-restore: not set: any of ${servicesWithDatabase.map(databaseVariable).join(', ')}`)
  process.exit(78)
}
for (const { service, databaseUrl } of databases) {
  const next = await skipIds({ databaseUrl, gap, forgetPositions: values['new-log'] ?? false })
  console.log(JSON.stringify({ service, next }))
}
