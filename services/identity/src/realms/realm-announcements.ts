import type { AnyEvent } from '@parley/contracts'
import { type RealmFact, realmsTopic } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import type { RealmRow } from './realm-store.ts'
import { permissionsInForce, settingsInForce } from './settings-in-force.ts'

/** What other services keep of an organization. */
export const realmFact = (realm: RealmRow): RealmFact => ({
  id: realm.id,
  subdomain: realm.subdomain,
  name: realm.name,
  uuid: realm.uuid,
  is_active: realm.is_active,
  settings: { ...settingsInForce(realm), ...permissionsInForce(realm) },
  system_groups: realm.system_groups,
  linkifiers: [...realm.linkifiers],
  version: realm.version,
})

/** Tells other services how an organization is now. To be called in every transaction that changes one. */
export const publishRealm = <Events extends AnyEvent>(tx: Tx<Events>, realm: RealmRow): void =>
  tx.publish(realmsTopic, realm.id, realmFact(realm))
