import { refuse } from '@parley/contracts'
import { realmById } from '../realms/realm-store.ts'
import { settingsInForce } from '../realms/settings-in-force.ts'
import type { Queries } from '../room.ts'
import { isFullNameUsed } from './user-store.ts'

/**
 * Where the organization wants it, a name is one active account's only. To be asked under `lockAccounts`.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandUniqueName = async (
  sql: Queries,
  realmId: number,
  fullName: string,
  exceptId?: number,
): Promise<void> => {
  const { require_unique_names } = settingsInForce((await realmById(sql, realmId))!)
  if (require_unique_names === true && (await isFullNameUsed(sql, realmId, fullName, exceptId))) {
    throw refuse('BAD_REQUEST', 'Unique names required in this organization.')
  }
}
