/** What the settings of an organization say, and what they let somebody do; no I/O. */
import { type RealmPermissionName, realmPermissions } from '@parley/contracts/identity/permission-settings'
import { type RealmSettingName, realmSettings } from '@parley/contracts/identity/realm-settings'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { z } from 'zod'
import type { Realm } from '../directory/realm-store.ts'
import { type Actor, isInGroup } from './actor.ts'

type Settings = Pick<Realm, 'settings'>

/** The value of an organization setting as it is in force; the default where identity has not said otherwise. */
export const realmSetting = <Name extends RealmSettingName>(
  realm: Settings,
  name: Name,
): z.output<(typeof realmSettings)[Name]['value']> => {
  const stored = realm.settings[name]
  return (stored === undefined ? realmSettings[name].standard : stored) as never
}

/** Which group has a permission in the organization. */
export const realmPermission = (
  realm: Settings & Pick<Realm, 'system_groups'>,
  name: RealmPermissionName,
): GroupSettingValue => {
  const stored = realm.settings[name] as GroupSettingValue | undefined
  return stored ?? realm.system_groups[realmPermissions[name].default_group_name]
}

/** Whether the organization's setting lets somebody do this. */
export const mayInRealm = (
  actor: Actor,
  realm: Settings & Pick<Realm, 'system_groups'>,
  name: RealmPermissionName,
): boolean => isInGroup(actor, realmPermission(realm, name))
