import { republish as contract, type RepublishedKind } from '@parley/contracts/identity/republishing'
import type { Tx } from '@parley/kit'
import { publishGroup } from '../groups/group-announcements.ts'
import { publishPersonal } from '../personal/personal-facts.ts'
import { demandRealm } from '../realms/demand-realm.ts'
import { publishRealm } from '../realms/realm-announcements.ts'
import { realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { publishAccount } from '../users/account-facts.ts'
import { usersOfRealm } from '../users/user-store.ts'
import { type Renewed, renewVersions } from './republish-store.ts'

/** States of one transaction: few enough to be written long before its time limit. */
const portion = 500

/** Publishes what was given a newer version, in one organization. */
const publish: Record<RepublishedKind, (tx: Tx, realmId: number, ids: readonly number[]) => Promise<void>> = {
  async realms(tx, realmId) {
    publishRealm(tx, (await realmById(tx.sql, realmId))!)
  },
  async users(tx, realmId, ids) {
    for (const user of await usersOfRealm(tx.sql, realmId, ids)) await publishAccount(tx, user)
  },
  async groups(tx, realmId, ids) {
    const { system_groups } = (await realmById(tx.sql, realmId))!
    for (const id of ids) await publishGroup(tx, realmId, id, system_groups)
  },
  personal: publishPersonal,
}

export const republish = internal(contract, async ({ input, deps, transaction }) => {
  const { kind, realm, after_id } = input
  const realmId = realm === null ? null : (await demandRealm(deps.database.sql, realm)).id
  return transaction(async (tx) => {
    const renewed = await renewVersions(tx.sql, kind, realmId, after_id, portion)
    for (const [id, states] of Map.groupBy(renewed, (state: Renewed) => state.realm_id)) {
      await publish[kind](
        tx,
        id,
        states.map((state) => state.id),
      )
    }
    return { published: renewed.length, last_id: renewed.length < portion ? null : renewed.at(-1)!.id }
  })
})
