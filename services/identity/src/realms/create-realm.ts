import { createRealm as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { demandRealmWish, makeRealm } from './make-realm.ts'
import { realmUrl } from './realm-address.ts'
import { storeDemoEnd } from './realm-life-store.ts'

export const createRealm = internal(contract, async ({ input, deps, transaction }) => {
  const wish = demandRealmWish(input)
  return transaction(async (tx) => {
    const { id } = await makeRealm(tx, wish)
    if (input.demo_days != null) await storeDemoEnd(tx.sql, id, input.demo_days)
    return { realm_id: id, ...wish, url: realmUrl(deps.publicUrl, wish.subdomain) }
  })
})
