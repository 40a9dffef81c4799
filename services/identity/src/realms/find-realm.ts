import { findRealm as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { realmUrl } from './realm-address.ts'
import { isSubdomain } from './realm-rules.ts'
import { realmBySubdomain } from './realm-store.ts'

export const findRealm = internal(contract, async ({ input, deps }) => {
  const subdomain = input.subdomain.toLowerCase()
  if (!isSubdomain(subdomain)) return { realm: null }
  const realm = await realmBySubdomain(deps.database.sql, subdomain)
  if (realm === undefined) return { realm: null }
  return {
    realm: {
      id: realm.id,
      subdomain: realm.subdomain,
      url: realmUrl(deps.publicUrl, realm.subdomain),
      is_active: realm.is_active,
      version: realm.version,
    },
  }
})
