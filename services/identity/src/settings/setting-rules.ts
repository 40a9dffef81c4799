import {
  type UserSettingName,
  type UserSettingValue,
  userSettingNames,
  userSettings,
} from '@parley/contracts/identity/user-settings'
import { languageName } from '@parley/contracts/languages'

export type SettingWishes = ReadonlyMap<UserSettingName, UserSettingValue>

/** The settings among what a client sent, in the order in which they are declared. */
export const settingWishes = (params: Readonly<Record<string, unknown>>): SettingWishes =>
  new Map(
    userSettingNames.flatMap((name) => {
      const value = params[name] as UserSettingValue | undefined
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/** What is stored after settings were changed: only what differs from the defaults. */
export const withSettings = (
  stored: Readonly<Record<string, UserSettingValue>>,
  changes: SettingWishes,
): Record<string, UserSettingValue> => {
  const all = { ...stored, ...Object.fromEntries(changes) }
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => userSettings[name as UserSettingName]?.standard !== value),
  )
}

/** What an event says of one changed setting: the language's name beside its code. */
export const settingChange = (property: UserSettingName, value: UserSettingValue) => ({
  property,
  value,
  ...(property === 'default_language' ? { language_name: languageName(String(value))! } : {}),
})
