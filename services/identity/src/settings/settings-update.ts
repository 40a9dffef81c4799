import type { KnownCaller } from '@parley/contracts'
import {
  type realmExportConsent,
  type realmUserUpdate,
  userSettingsUpdate,
} from '@parley/contracts/identity/events'
import {
  allUserSettings,
  type UserSettingName,
  type UserSettingValue,
} from '@parley/contracts/identity/user-settings'
import type { Tx } from '@parley/kit'
import { announceConsents } from '../exports/consent-announcements.ts'
import { publishPersonal } from '../personal/personal-facts.ts'
import { lockPersonal, type PersonalRow, storePersonal } from '../personal/personal-store.ts'
import { type SettingWishes, settingChange, withSettings } from './setting-rules.ts'

type SettingEvents = typeof userSettingsUpdate | typeof realmUserUpdate | typeof realmExportConsent

interface ChangeOptions {
  /** The accounts choose for themselves, rather than an administrator for them. */
  readonly isOwnChoice: boolean
  /** Leave those alone who once chose a setting themselves. */
  readonly skipsChosen: boolean
}

/**
 * Changes settings that live in `personal` for some accounts of one organization, and tells each of its own. One
 * statement and one look-up, however many accounts.
 */
export const changeSettings = async (
  tx: Tx<SettingEvents>,
  { realm }: KnownCaller,
  userIds: readonly number[],
  wishes: SettingWishes,
  { isOwnChoice, skipsChosen }: ChangeOptions,
): Promise<void> => {
  if (wishes.size === 0 || userIds.length === 0) return
  const changed: PersonalRow[] = []
  for (const personal of await lockPersonal(tx.sql, userIds)) {
    const before = allUserSettings(personal.settings)
    const changes = new Map<UserSettingName, UserSettingValue>()
    for (const [name, value] of wishes) {
      if (before[name] === value || (skipsChosen && personal.chosen.includes(name))) continue
      changes.set(name, value)
    }
    if (changes.size === 0) continue
    const chosen = isOwnChoice ? [...new Set([...personal.chosen, ...changes.keys()])] : personal.chosen
    changed.push({ ...personal, settings: withSettings(personal.settings, changes), chosen })
    for (const [name, value] of changes) {
      const audience = { realm: realm.id, users: [personal.user_id] }
      tx.emit(userSettingsUpdate, audience, settingChange(name, value))
    }
  }
  if (changed.length === 0) return
  if (wishes.has('allow_private_data_export')) {
    const consented = wishes.get('allow_private_data_export') === true
    await announceConsents(
      tx,
      realm.id,
      changed.map(({ user_id }) => ({ user_id, consented })),
    )
  }
  await storePersonal(tx.sql, changed)
  await publishPersonal(
    tx,
    realm.id,
    changed.map(({ user_id }) => user_id),
  )
}
