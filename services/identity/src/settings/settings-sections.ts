import type { SectionData } from '@parley/contracts'
import {
  realmUserSettingsDefaultsSection as defaultsContract,
  displaySettingsSection as displayContract,
  notificationSettingsSection as notificationContract,
  ownChoicesSection as ownChoicesContract,
  userSettingsSection as userSettingsContract,
} from '@parley/contracts/identity/sections'
import {
  allUserSettings,
  emojisets,
  notificationSounds,
  type UserSettingName,
  type UserSettings,
  userSettingNames,
  userSettings,
} from '@parley/contracts/identity/user-settings'
import { personalFacts } from '../personal/personal-store.ts'
import { type Queries, section } from '../room.ts'
import { userSettingsDefaults } from './defaults-store.ts'

const choices = {
  available_notification_sounds: [...notificationSounds],
  emojiset_choices: emojisets.map((choice) => ({ ...choice })),
}

const settingsOf = async (sql: Queries, realmId: number, userId: number): Promise<UserSettings> => {
  const [fact] = await personalFacts(sql, realmId, [userId])
  return allUserSettings(fact!.settings)
}

const only = (settings: UserSettings, isIncluded: (name: UserSettingName) => boolean) =>
  Object.fromEntries(userSettingNames.filter(isIncluded).map((name) => [name, settings[name]]))

/** Whoever has no account sees what an account would begin with, and begins where there is something to see. */
const settingsOfSpectator = (): UserSettings => ({ ...allUserSettings({}), web_home_view: 'recent' })

const whole = (settings: UserSettings) =>
  ({ user_settings: { ...settings, ...choices } }) as SectionData<typeof userSettingsContract>

export const userSettingsSection = section(
  userSettingsContract,
  async ({ caller, sql }) => whole(await settingsOf(sql, caller.realm.id, caller.user.id)),
  async () => whole(settingsOfSpectator()),
)

export const ownChoicesSection = section(
  ownChoicesContract,
  async ({ caller, sql }) => {
    const { receives_typing_notifications } = await settingsOf(sql, caller.realm.id, caller.user.id)
    return { receives_typing_notifications }
  },
  async () => ({ receives_typing_notifications: false }),
)

const defaultsOf = async (sql: Queries, realmId: number) => {
  const settings = allUserSettings(await userSettingsDefaults(sql, realmId))
  const shared = only(settings, (name) => !userSettings[name].isPersonal)
  const answer = { realm_user_settings_defaults: { ...shared, ...choices } }
  return answer as SectionData<typeof defaultsContract>
}

export const realmUserSettingsDefaultsSection = section(
  defaultsContract,
  ({ caller, sql }) => defaultsOf(sql, caller.realm.id),
  ({ realm, sql }) => defaultsOf(sql, realm.id),
)

/** Clients that read these know only yes and no: "as is usual where you are" is no. */
const displaySettings = (settings: UserSettings) => ({
  ...only(settings, (name) => userSettings[name].legacySection === 'update_display_settings'),
  twenty_four_hour_time: settings.twenty_four_hour_time ?? false,
})

export const displaySettingsSection = section(
  displayContract,
  async ({ caller, sql }) => displaySettings(await settingsOf(sql, caller.realm.id, caller.user.id)),
  async () => displaySettings(settingsOfSpectator()),
)

const notificationSettings = (settings: UserSettings) =>
  only(settings, (name) => userSettings[name].legacySection === 'update_global_notifications')

export const notificationSettingsSection = section(
  notificationContract,
  async ({ caller, sql }) => notificationSettings(await settingsOf(sql, caller.realm.id, caller.user.id)),
  async () => notificationSettings(settingsOfSpectator()),
)
