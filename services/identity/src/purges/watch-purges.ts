import type { realmDeactivated } from '@parley/contracts/identity/events'
import { realmLifecycleTopic } from '@parley/contracts/identity/realm-lifecycle'
import type { Database } from '@parley/db'
import { inTransaction, type Running } from '@parley/kit'
import { oldestPurge, purgesOpen } from '@parley/kit/purge-metrics'
import { endRealm } from '../realms/realm-ending.ts'
import type { Log } from '../room.ts'
import { dueRealms, holdDueRealm, insertPurge, openPurges } from './purge-store.ts'

/** Milliseconds between two looks for organizations whose time has come. */
const pause = 2000

/**
 * Begins the end of an organization whose time has come: from here on it cannot come back. That it has begun and that
 * services are told of it is one transaction.
 */
export const beginPurge = (database: Database, realmId: number): Promise<void> =>
  inTransaction<typeof realmDeactivated, void>(database, async (tx) => {
    const realm = await holdDueRealm(tx.sql, realmId)
    if (realm === undefined) return
    // A demo whose time is up ends like any other; its owners were told when.
    if (realm.is_active) await endRealm(tx, realmId, 0, { min: null, max: null })
    if (!(await insertPurge(tx.sql, realmId, realm.subdomain))) return
    tx.publish(realmLifecycleTopic, realmId, { realm_id: realmId, begun_at: new Date().toISOString() })
  })

/** Looks for organizations whose time has come, again and again. */
export const watchPurges = (database: Database, log: Log): Running => {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    try {
      for (const id of await dueRealms(database.sql)) {
        await beginPurge(database, id)
        log.info({ realmId: id }, 'the data of an organization is being deleted')
      }
      const { count, oldest_seconds } = await openPurges(database.sql)
      purgesOpen.set(count)
      oldestPurge.set(oldest_seconds)
    } catch (error) {
      log.warn({ err: error }, 'organizations to be deleted could not be looked for')
    }
    if (!isStopped) timer = setTimeout(go, pause)
  }
  let current = Promise.resolve()
  const go = () => {
    current = look()
  }
  go()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await current
    },
  }
}
