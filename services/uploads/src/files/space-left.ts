import { z } from 'zod'
import type { Deps } from '../room.ts'
import { quotaExceeded } from './add-file.ts'
import { spaceUsed } from './usage-store.ts'

const mib = 1024 * 1024
const Quota = z.int().nullable().default(null)

/** MiB that an organization's files may take; null for no limit. */
const quotaOf = async ({ realms }: Pick<Deps, 'realms'>, realmId: number): Promise<number | null> =>
  Quota.parse((await realms.get(realmId)).settings?.upload_quota_mib)

/**
 * Refuses early what would not fit; what else comes in meanwhile is counted when the file is taken in.
 *
 * @returns the quota, in MiB.
 * @throws ApiError REALM_UPLOAD_QUOTA
 */
export const demandSpace = async (
  deps: Pick<Deps, 'realms' | 'database'>,
  realmId: number,
  bytes: number,
): Promise<number | null> => {
  const quota = await quotaOf(deps, realmId)
  if (quota !== null && (await spaceUsed(deps.database.sql, realmId)) + bytes > quota * mib) {
    throw quotaExceeded()
  }
  return quota
}
