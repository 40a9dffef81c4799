import { z } from 'zod'
import { MutedUser } from '../objects/muted-user.ts'
import { section } from '../section.ts'
import { type UserSettingName, userSettingNames, userSettings } from './user-settings.ts'

export const alertWordsSection = section({
  service: 'identity',
  name: 'alert_words',
  fields: { alert_words: z.array(z.string()) },
})

export const mutedUsersSection = section({
  service: 'identity',
  name: 'muted_users',
  fields: { muted_users: z.array(MutedUser) },
})

const choices = {
  available_notification_sounds: z.array(z.string()),
  emojiset_choices: z.array(z.strictObject({ key: z.string(), text: z.string() })),
}

const valuesOf = (isIncluded: (name: UserSettingName) => boolean): z.ZodRawShape =>
  Object.fromEntries(userSettingNames.filter(isIncluded).map((name) => [name, userSettings[name].value]))

export const userSettingsSection = section({
  service: 'identity',
  name: 'user_settings',
  fields: { user_settings: z.strictObject({ ...valuesOf(() => true), ...choices }) },
})

/** What new people of the organization start with. */
export const realmUserSettingsDefaultsSection = section({
  service: 'identity',
  name: 'realm_user_settings_defaults',
  fields: {
    realm_user_settings_defaults: z.strictObject({
      ...valuesOf((name) => !userSettings[name].isPersonal),
      ...choices,
    }),
  },
})

/** The events of this name are gone (439); clients that still ask for the state get the settings at the top. */
export const displaySettingsSection = section({
  service: 'identity',
  name: 'update_display_settings',
  covers: [],
  fields: valuesOf((name) => userSettings[name].legacySection === 'update_display_settings'),
})

export const notificationSettingsSection = section({
  service: 'identity',
  name: 'update_global_notifications',
  covers: [],
  fields: valuesOf((name) => userSettings[name].legacySection === 'update_global_notifications'),
})
