import { z } from 'zod'
import type { Deps, Queries } from '../room.ts'
import { quotaExceeded } from './add-file.ts'
import { addSpaceUsed, spacePromised, spaceUsed } from './usage-store.ts'

const mib = 1024 * 1024
const Quota = z.int().nullable().default(null)

type Parts = Pick<Deps, 'realms' | 'database'>

/** MiB that an organization's files may take; null for no limit. */
const quotaOf = async ({ realms }: Pick<Deps, 'realms'>, realmId: number): Promise<number | null> =>
  Quota.parse((await realms.get(realmId)).settings?.upload_quota_mib)

/**
 * Refuses early what would not fit beside the files that are there; what else comes in meanwhile is counted when the file
 * is taken in.
 *
 * @returns the quota, in MiB.
 * @throws ApiError REALM_UPLOAD_QUOTA
 */
export const demandSpace = async (deps: Parts, realmId: number, bytes: number): Promise<number | null> => {
  const quota = await quotaOf(deps, realmId)
  if (quota !== null && (await spaceUsed(deps.database.sql, realmId)) + bytes > quota * mib) {
    throw quotaExceeded()
  }
  return quota
}

/**
 * The same beside uploads under way as well: what they will take is promised to them.
 *
 * @returns the quota, in MiB.
 * @throws ApiError REALM_UPLOAD_QUOTA
 */
export const demandUnpromisedSpace = async (
  deps: Parts,
  realmId: number,
  bytes: number,
): Promise<number | null> => {
  const quota = await demandSpace(deps, realmId, bytes)
  if (quota === null) return quota
  const { sql } = deps.database
  const taken = (await spaceUsed(sql, realmId)) + (await spacePromised(sql, realmId))
  if (taken + bytes > quota * mib) throw quotaExceeded()
  return quota
}

/**
 * Promises space to an upload by what `promise` writes down, in the same transaction; of several that come at once, each
 * sees those before it.
 *
 * @throws ApiError REALM_UPLOAD_QUOTA
 */
export const promisingSpace = async <T>(
  deps: Parts,
  realmId: number,
  bytes: number,
  promise: (sql: Queries) => Promise<T>,
): Promise<T> => {
  const quota = await quotaOf(deps, realmId)
  if (quota === null) return promise(deps.database.sql)
  return deps.database.transaction(async ({ sql }) => {
    const used = await addSpaceUsed(sql, realmId, 0)
    if (used + (await spacePromised(sql, realmId)) + bytes > quota * mib) throw quotaExceeded()
    return promise(sql)
  })
}
