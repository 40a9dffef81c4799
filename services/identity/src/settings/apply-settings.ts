import { isAtLeast } from '@parley/contracts'
import type { updateSettings } from '@parley/contracts/identity/settings'
import { type UserSettingName, userSettings } from '@parley/contracts/identity/user-settings'
import type { Context } from '@parley/kit'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import type { EmailVisibility } from '../users/email-visibility.ts'
import { askForAddress } from './address-change.ts'
import { type OwnAccountWishes, updateOwnAccount } from './own-account-update.ts'
import { checkedPassword } from './password-change.ts'
import { settingWishes } from './setting-rules.ts'
import { changeSettings } from './settings-update.ts'
import { type TargetWishes, targetUsers } from './target-users.ts'

interface Sent {
  readonly full_name?: string
  readonly email?: string
  readonly old_password?: string
  readonly new_password?: string
  readonly target_users?: TargetWishes
  readonly skip_if_already_edited?: boolean
}

/** What `PATCH /settings`, and its older names, do. */
export const applySettings = async ({
  caller,
  params,
  deps,
  transaction,
  refuse,
}: Context<typeof updateSettings, Deps>): Promise<Record<never, never>> => {
  const sent = params as Sent
  const wishes = new Map(settingWishes(params))

  if (sent.target_users !== undefined) {
    const target = sent.target_users
    if (!isAtLeast(caller.user, 'administrator')) {
      throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization administrator')
    }
    const forbidden = [...wishes.keys()].find((name) => userSettings[name].isOwnChoice)
    const own = (['full_name', 'email', 'old_password', 'new_password'] as const).find((name) => name in sent)
    const foreign = forbidden ?? own
    if (foreign !== undefined) {
      throw refuse('BAD_REQUEST', `${foreign} can only be changed by each person for themselves.`)
    }
    return transaction(async (tx) => {
      await lockAccounts(tx.sql, caller.realm.id)
      await actingUser(tx.sql, caller, 'administrator')
      const userIds = await targetUsers(tx.sql, caller.realm.id, target)
      const skipsChosen = target.skip_if_already_edited ?? sent.skip_if_already_edited ?? false
      await changeSettings(tx, caller, userIds, wishes, { isOwnChoice: false, skipsChosen })
      return {}
    })
  }

  const password_hash = await checkedPassword(deps, caller, sent)
  const taken = <T>(name: UserSettingName): T | undefined => {
    const value = wishes.get(name) as T | undefined
    wishes.delete(name)
    return value
  }
  const account: OwnAccountWishes = {
    full_name: sent.full_name,
    timezone: taken<string>('timezone'),
    email_address_visibility: taken<EmailVisibility>('email_address_visibility'),
    password_hash,
  }
  const isAccountConcerned = Object.values(account).some((wish) => wish !== undefined)
  await askForAddress(deps, caller, sent.email)
  if (!isAccountConcerned && wishes.size === 0) return {}
  return transaction(async (tx) => {
    // Administrators are told who agrees to exports, whoever becomes one at the same moment too.
    if (isAccountConcerned || wishes.has('allow_private_data_export')) {
      await lockAccounts(tx.sql, caller.realm.id)
    }
    if (isAccountConcerned) {
      const host = realmHost(deps.publicUrl, caller.realm.subdomain)
      await updateOwnAccount(tx, caller, account, host)
    }
    await changeSettings(tx, caller, [caller.user.id], wishes, { isOwnChoice: true, skipsChosen: false })
    return {}
  })
}
