import { type RealmFact, realmsTopic } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import type { RealmRow } from './realm-store.ts'

/** What other services keep of an organization. */
export const realmFact = (realm: RealmRow): RealmFact => ({
  id: realm.id,
  subdomain: realm.subdomain,
  name: realm.name,
  uuid: realm.uuid,
  is_active: realm.is_active,
  system_groups: realm.system_groups,
  version: realm.version,
})

/** Tells other services how an organization is now. To be called in every transaction that changes one. */
export const publishRealm = (tx: Tx, realm: RealmRow): void =>
  tx.publish(realmsTopic, realm.id, realmFact(realm))
