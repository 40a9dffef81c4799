import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { GroupSettingUpdate } from '../objects/values.ts'
import {
  realmUpdate,
  realmUpdateDict,
  realmUserAdd,
  realmUserRemove,
  userGroupAddMembers,
  userGroupRemoveMembers,
} from './events.ts'
import { type RealmPermissionName, realmPermissionNames } from './permission-settings.ts'
import {
  AuthenticationMethods,
  type RealmSettingName,
  realmSettingNames,
  realmSettings,
} from './realm-settings.ts'

const settingParameters = Object.fromEntries(
  realmSettingNames.flatMap((name) => {
    const { parameter } = realmSettings[name]
    return parameter === null ? [] : [[name, (parameter as z.ZodType).optional()]]
  }),
) as Partial<Record<RealmSettingName, z.ZodOptional<z.ZodType<string | number | boolean | null>>>>

const permissionParameters = Object.fromEntries(
  realmPermissionNames.map((name) => [name, GroupSettingUpdate.optional()]),
) as Record<RealmPermissionName, z.ZodOptional<typeof GroupSettingUpdate>>

const params: z.ZodRawShape = {
  name: z.string().optional(),
  description: z.string().optional(),
  /** Owners only. */
  authentication_methods: AuthenticationMethods.optional(),
  ...settingParameters,
  ...permissionParameters,
}

export const updateRealm = endpoint({
  method: 'PATCH',
  path: '/realm',
  service: 'identity',
  summary: "Change the organization's settings; some are for owners only.",
  access: 'administrator',
  params,
  /** What changed, as it is now. */
  reply: z.object(Object.fromEntries(Object.keys(params).map((name) => [name, z.json().optional()]))).shape,
  errors: ['UNAUTHORIZED_PRINCIPAL', 'EXPECTATION_MISMATCH', 'SYSTEM_GROUP_REQUIRED'],
  emits: [
    ...[realmUpdate, realmUpdateDict, realmUserAdd, realmUserRemove],
    ...[userGroupAddMembers, userGroupRemoveMembers],
  ],
})
