import { refuse } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { isSubdomain } from './realm-rules.ts'
import { type RealmRow, realmBySubdomain } from './realm-store.ts'

/** The organization that an operator names by its subdomain. @throws ApiError NONEXISTENT_SUBDOMAIN */
export const demandRealm = async (sql: Queries, name: string): Promise<RealmRow> => {
  const subdomain = name.trim().toLowerCase()
  const realm = isSubdomain(subdomain) ? await realmBySubdomain(sql, subdomain) : undefined
  if (realm === undefined) {
    throw refuse('NONEXISTENT_SUBDOMAIN', `There is no organization at subdomain '${subdomain}'.`)
  }
  return realm
}
