import type { SystemGroupName } from '@parley/contracts/identity/topics'
import type { RealmRow } from './realm-store.ts'
import { permissionsInForce } from './settings-in-force.ts'

type Numbers = Partial<Record<SystemGroupName, number>>

/** Numbers by which clients of long ago know who may do something. */
const creation: Numbers = {
  'role:members': 1,
  'role:administrators': 2,
  'role:fullmembers': 3,
  'role:moderators': 4,
  'role:everyone': 5,
  'role:nobody': 6,
  'role:owners': 7,
}
const mentioning: Numbers = {
  'role:everyone': 1,
  'role:members': 2,
  'role:fullmembers': 3,
  'role:administrators': 5,
  'role:nobody': 6,
  'role:moderators': 7,
}

/** What the permissions come nearest to in those numbers; groups of an organization's own are told as administrators. */
export const legacyPolicies = (realm: RealmRow) => {
  const permissions = permissionsInForce(realm)
  const numberOf = (permission: string, numbers: Numbers, otherwise: number): number => {
    const names = Object.keys(realm.system_groups) as SystemGroupName[]
    const name = names.find((group) => realm.system_groups[group] === permissions[permission])
    return (name === undefined ? undefined : numbers[name]) ?? otherwise
  }
  return {
    realm_create_public_stream_policy: numberOf('can_create_public_channel_group', creation, 2),
    realm_create_private_stream_policy: numberOf('can_create_private_channel_group', creation, 2),
    realm_create_web_public_stream_policy: numberOf('can_create_web_public_channel_group', creation, 2),
    realm_wildcard_mention_policy: numberOf('can_mention_many_users_group', mentioning, 5),
  }
}
