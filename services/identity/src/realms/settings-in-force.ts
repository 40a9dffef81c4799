import { realmPermissionNames, realmPermissions } from '@parley/contracts/identity/permission-settings'
import {
  type AuthenticationMethods,
  realmSettingNames,
  realmSettings,
} from '@parley/contracts/identity/realm-settings'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { z } from 'zod'
import type { Deps } from '../room.ts'
import type { RealmRow } from './realm-store.ts'

export type JsonValue = z.core.util.JSONType

type Stored = Pick<RealmRow, 'settings' | 'system_groups'>

/** Every setting as it is: what is stored, else the default. */
export const settingsInForce = ({ settings }: Pick<Stored, 'settings'>): Record<string, JsonValue> =>
  Object.fromEntries(realmSettingNames.map((name) => [name, settings[name] ?? realmSettings[name].standard]))

/** Every permission setting as it is: what is stored, else the group that the facts name. */
export const permissionsInForce = ({ settings, system_groups }: Stored): Record<string, GroupSettingValue> =>
  Object.fromEntries(
    realmPermissionNames.map((name) => [
      name,
      (settings[name] as GroupSettingValue | undefined) ??
        system_groups[realmPermissions[name].default_group_name],
    ]),
  )

type MethodOffered = { enabled: boolean; available: boolean; unavailable_reason?: string }

const offered = (enabled: boolean, missing?: string): MethodOffered => ({
  enabled,
  available: missing === undefined,
  ...(missing === undefined ? {} : { unavailable_reason: missing }),
})

/** The ways to log in as clients are told of them: switched on here, and to be had on this server. */
export const methodsOffered = (
  realm: Pick<Stored, 'settings'>,
  { directory, isDevelopment }: Pick<Deps, 'directory' | 'isDevelopment'>,
): Record<keyof AuthenticationMethods, MethodOffered> => {
  const { Email, LDAP, Dev } = methodsInForce(realm)
  return {
    Email: offered(Email),
    LDAP: offered(LDAP, directory === undefined ? 'This server has no directory.' : undefined),
    Dev: offered(Dev, isDevelopment ? undefined : 'This is for development only.'),
  }
}

/** The ways to log in that are switched on; all are unless switched off. */
export const methodsInForce = ({ settings }: Pick<Stored, 'settings'>): AuthenticationMethods => {
  const stored = settings.authentication_methods as Partial<AuthenticationMethods> | undefined
  return { Email: stored?.Email ?? true, LDAP: stored?.LDAP ?? true, Dev: stored?.Dev ?? true }
}
