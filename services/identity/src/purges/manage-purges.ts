import {
  reportPurge as reportContract,
  purgeStatus as statusContract,
  traces as tracesContract,
} from '@parley/contracts/identity/realm-data-questions'
import type { Purger } from '@parley/contracts/realm-data'
import { realmLifeAt } from '../realms/realm-life-store.ts'
import { internal } from '../room.ts'
import { purgeAtSubdomain, purgeOfRealm, storeReport } from './purge-store.ts'
import { tracesEverywhere } from './traces.ts'

export const reportPurge = internal(reportContract, async ({ input, issuer, deps }) => {
  const { realm_id, rows, is_done } = input
  const goes_on = await storeReport(deps.database.sql, realm_id, issuer as Purger, { rows, is_done })
  if (is_done) deps.undertaker.wake()
  return { goes_on }
})

export const purgeStatus = internal(statusContract, async ({ input, deps, refuse }) => {
  const { sql } = deps.database
  const subdomain = input.realm.trim().toLowerCase()
  const realm = await realmLifeAt(sql, subdomain)
  // An organization that has the subdomain now comes before those that had it.
  const purge =
    realm === undefined ? await purgeAtSubdomain(sql, subdomain) : await purgeOfRealm(sql, realm.id)
  if (realm === undefined && purge === undefined) {
    throw refuse(
      'NONEXISTENT_SUBDOMAIN',
      `There is no organization at subdomain '${subdomain}', and there was none.`,
    )
  }
  const state = () => {
    if (purge !== undefined) return purge.finished_at === null ? 'purging' : 'purged'
    if (realm!.is_active) return 'active'
    return realm!.deletion_due_at === null ? 'kept' : 'waiting'
  }
  return {
    realm_id: realm?.id ?? purge!.realm_id,
    subdomain,
    state: state() as ReturnType<typeof state>,
    deletion_due_at: realm?.deletion_due_at ?? null,
    begun_at: purge?.begun_at ?? null,
    finished_at: purge?.finished_at ?? null,
    services: (purge?.progress ?? {}) as Record<string, { rows: number; is_done: boolean }>,
  }
})

export const traces = internal(tracesContract, async ({ input, deps }) => ({
  traces: await tracesEverywhere(deps, input.realm_id),
}))
