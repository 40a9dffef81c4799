import { type KnownCaller, refuse } from '@parley/contracts'
import { type realmUserUpdate, userSettingsUpdate } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { withNewPassword } from '../passwords/new-password.ts'
import { publishPersonal } from '../personal/personal-facts.ts'
import { lockPersonal, storePersonal } from '../personal/personal-store.ts'
import { realmById } from '../realms/realm-store.ts'
import { settingsInForce } from '../realms/settings-in-force.ts'
import { publishAccount } from '../users/account-facts.ts'
import { activeCaller } from '../users/acting-user.ts'
import { dummyEmail, type EmailVisibility, isEmailPublic } from '../users/email-visibility.ts'
import { announceUserForms } from '../users/user-announcements.ts'
import { fullNameFinding } from '../users/user-rules.ts'
import { isFullNameUsed, type UserChanges, updateUser } from '../users/user-store.ts'
import { settingChange } from './setting-rules.ts'

export interface OwnAccountWishes {
  readonly full_name?: string | undefined
  readonly timezone?: string | undefined
  readonly email_address_visibility?: EmailVisibility | undefined
  readonly password_hash?: string | undefined
}

/**
 * Changes what an account says of itself to others. To be called under `lockAccounts`.
 *
 * @throws ApiError BAD_REQUEST
 */
export const updateOwnAccount = async (
  tx: Tx<typeof userSettingsUpdate | typeof realmUserUpdate>,
  caller: KnownCaller,
  wishes: OwnAccountWishes,
  realmHost: string,
): Promise<void> => {
  const { sql } = tx
  const {
    realm,
    user: { id },
    session,
  } = caller
  const before = await activeCaller(sql, caller)
  const changes: UserChanges = {}

  const fullName = wishes.full_name?.trim()
  if (fullName !== undefined && fullName !== before.full_name) {
    const settings = settingsInForce((await realmById(sql, realm.id))!)
    if (settings.name_changes_disabled === true && before.role > 200) {
      throw refuse('BAD_REQUEST', 'Name changes are disabled in this organization.')
    }
    const finding = fullNameFinding(fullName)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    const isUnique = settings.require_unique_names === true || before.bot_type !== null
    if (isUnique && (await isFullNameUsed(sql, realm.id, fullName, id))) {
      throw refuse('BAD_REQUEST', 'Unique names required in this organization.')
    }
    changes.full_name = fullName
  }

  const { timezone, email_address_visibility, password_hash } = wishes
  if (timezone !== undefined && timezone !== before.timezone) changes.timezone = timezone
  if (
    email_address_visibility !== undefined &&
    email_address_visibility !== before.email_address_visibility
  ) {
    if (before.bot_type !== null)
      throw refuse('BAD_REQUEST', 'The address of a bot is not hidden from anybody.')
    changes.email_address_visibility = email_address_visibility
    const isPublic = isEmailPublic({ bot_type: null, email_address_visibility })
    changes.email = isPublic ? before.delivery_email : dummyEmail(id, realmHost)
  }
  if (password_hash !== undefined) Object.assign(changes, withNewPassword(password_hash, session))
  if (Object.keys(changes).length === 0) return

  const after = await updateUser(sql, realm.id, id, changes)
  await publishAccount(tx, after)
  await announceUserForms(tx, before, after)
  const settings = (['timezone', 'email_address_visibility'] as const).filter((name) => name in changes)
  if (settings.length === 0) return
  const [personal] = await lockPersonal(sql, [id])
  await storePersonal(sql, [{ ...personal!, chosen: [...new Set([...personal!.chosen, ...settings])] }])
  await publishPersonal(tx, realm.id, [id])
  for (const name of settings) {
    tx.emit(userSettingsUpdate, { realm: realm.id, users: [id] }, settingChange(name, after[name]))
  }
}
