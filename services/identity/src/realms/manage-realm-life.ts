import {
  endRealm as endContract,
  listRealms as listContract,
  reactivateRealm as reactivateContract,
} from '@parley/contracts/identity/realm-life-questions'
import { isBeingImported } from '../imports/import-store.ts'
import { purgeOfRealm } from '../purges/purge-store.ts'
import { type Deps, internal, type Queries } from '../room.ts'
import { demandRealm } from './demand-realm.ts'
import { realmUrl } from './realm-address.ts'
import { publishRealm } from './realm-announcements.ts'
import { endRealm as end } from './realm-ending.ts'
import { lockRealmLife, type RealmLife, realmLives, storeReturn } from './realm-life-store.ts'
import { realmById } from './realm-store.ts'

const shown = (deps: Deps, { id, ...realm }: RealmLife) => ({
  realm_id: id,
  ...realm,
  url: realmUrl(deps.publicUrl, realm.subdomain),
})

const now = async (deps: Deps, sql: Queries, id: number) => shown(deps, await lockRealmLife(sql, id))

export const listRealms = internal(listContract, async ({ deps }) => ({
  realms: (await realmLives(deps.database.sql)).map((realm) => shown(deps, realm)),
}))

export const endRealm = internal(endContract, async ({ input, deps, transaction }) => {
  const { id } = await demandRealm(deps.database.sql, input.realm)
  return transaction(async (tx) => {
    await end(tx, id, input.deletion_delay_days, deps.deletionBounds)
    return now(deps, tx.sql, id)
  })
})

export const reactivateRealm = internal(reactivateContract, async ({ input, deps, transaction, refuse }) => {
  const { id } = await demandRealm(deps.database.sql, input.realm)
  return transaction(async (tx) => {
    const { is_active } = await lockRealmLife(tx.sql, id)
    if (is_active) throw refuse('BAD_REQUEST', 'This organization is active.')
    if ((await purgeOfRealm(tx.sql, id)) !== undefined) {
      throw refuse('BAD_REQUEST', 'The data of this organization is being deleted.')
    }
    if (await isBeingImported(tx.sql, id)) {
      throw refuse('BAD_REQUEST', 'This organization is not all there yet: it is being imported.')
    }
    await storeReturn(tx.sql, id)
    publishRealm(tx, (await realmById(tx.sql, id))!)
    return now(deps, tx.sql, id)
  })
})
