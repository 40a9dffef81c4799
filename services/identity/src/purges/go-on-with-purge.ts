import { realmLifecycleTopic } from '@parley/contracts/identity/realm-lifecycle'
import { purgers } from '@parley/contracts/realm-data'
import { inTransaction } from '@parley/kit'
import { purgeHoldings } from '@parley/kit/purge-holdings'
import { holdings } from '../realm-data/holdings.ts'
import type { Deps } from '../room.ts'
import { type PurgeRow, storePurgeEnd, storeReport, storeSetback } from './purge-store.ts'
import { tracesElsewhere } from './traces.ts'

/**
 * The next step of an organization's end. Once every service has said that it holds nothing any more, all are asked again
 * what they hold; what is left is announced once more. Then what is here goes, with tombstones for whoever keeps copies,
 * the organization itself last. Every step may be repeated.
 */
export const goOnWithPurge = async (
  deps: Deps,
  { realm_id, begun_at, progress }: PurgeRow,
): Promise<void> => {
  const { database, log } = deps
  const isAwaited = (service: (typeof purgers)[number]) =>
    service !== 'identity' && progress[service]?.is_done !== true
  if (purgers.some(isAwaited)) return
  const left = await tracesElsewhere(deps, realm_id)
  if (Object.keys(left).length > 0) {
    log.warn({ realmId: realm_id, left }, 'something of an organization came back, or stayed')
    await inTransaction(database, async (tx) => {
      await storeSetback(tx.sql, realm_id, Object.keys(left))
      tx.publish(realmLifecycleTopic, realm_id, { realm_id, begun_at })
    })
    return
  }
  let rows = 0
  await purgeHoldings({ database, holdings, deps }, realm_id, (count) => {
    rows += count
    deps.leaving.signal.throwIfAborted()
  })
  await storeReport(database.sql, realm_id, 'identity', { rows, is_done: true })
  await inTransaction(database, async (tx) => {
    await storePurgeEnd(tx.sql, realm_id)
    tx.publish(realmLifecycleTopic, realm_id, null)
  })
  log.info({ realmId: realm_id }, 'nothing is left of an organization')
}
