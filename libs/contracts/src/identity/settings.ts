import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { realmExportConsent, realmUserUpdate } from './events.ts'
import { realmUserSettingsDefaultsUpdate, userSettingsUpdate } from './personal-events.ts'
import { type UserSettingName, userSettingNames, userSettings } from './user-settings.ts'

const parametersOf = (isIncluded: (name: UserSettingName) => boolean): z.ZodRawShape =>
  Object.fromEntries(
    userSettingNames.filter(isIncluded).map((name) => [name, userSettings[name].value.optional()]),
  )

/** Whose settings an administrator changes, instead of the own ones (level 444). */
const TargetUsers = z.strictObject({
  user_ids: z.array(z.int()).max(10_000).default([]),
  group_ids: z.array(z.int()).max(1000).default([]),
  /** Leave those alone who chose the setting themselves. */
  skip_if_already_edited: z.boolean().optional(),
})

const change = {
  method: 'PATCH',
  service: 'identity',
  access: 'authenticated',
  params: {
    full_name: z.string().optional(),
    /** Comes into force when the link in the mail that is sent there was followed. */
    email: z.string().optional(),
    old_password: z.string().optional(),
    new_password: z.string().optional(),
    target_users: TargetUsers.optional(),
    skip_if_already_edited: z.boolean().optional(),
    ...parametersOf(() => true),
  } as z.ZodRawShape,
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [userSettingsUpdate, realmUserUpdate, realmExportConsent],
} as const

export const updateSettings = endpoint({
  ...change,
  path: '/settings',
  summary:
    "Change the caller's settings, name, address or password; for administrators also others' settings.",
})

export const updateDisplaySettings = endpoint({
  ...change,
  path: '/settings/display',
  summary: 'The same as PATCH /settings, by an older name.',
})

export const updateNotificationSettings = endpoint({
  ...change,
  path: '/settings/notifications',
  summary: 'The same as PATCH /settings, by an older name.',
})

export const updateUserSettingsDefaults = endpoint({
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  service: 'identity',
  summary: 'Change the settings that new people of the organization start with.',
  access: 'administrator',
  params: parametersOf((name) => !userSettings[name].isPersonal),
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [realmUserSettingsDefaultsUpdate],
})
