import { realmUserSettingsDefaultsUpdate } from '@parley/contracts/identity/events'
import { updateUserSettingsDefaults as contract } from '@parley/contracts/identity/settings'
import { allUserSettings } from '@parley/contracts/identity/user-settings'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { storeUserSettingsDefaults, userSettingsDefaults } from './defaults-store.ts'
import { settingWishes, withSettings } from './setting-rules.ts'

export const updateUserSettingsDefaults = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const realmId = caller.realm.id
    await lockAccounts(sql, realmId)
    await actingUser(sql, caller, 'administrator')
    const stored = await userSettingsDefaults(sql, realmId)
    const before = allUserSettings(stored)
    const changes = new Map([...settingWishes(params)].filter(([name, value]) => before[name] !== value))
    if (changes.size === 0) return {}
    await storeUserSettingsDefaults(sql, realmId, withSettings(stored, changes))
    for (const [property, value] of changes) {
      tx.emit(realmUserSettingsDefaultsUpdate, { realm: realmId, everyone: true }, { property, value })
    }
    return {}
  }),
)
