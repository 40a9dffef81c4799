import { type Role, refuse } from '@parley/contracts'
import type { Ask, Tx } from '@parley/kit'
import { followGuestRole } from '../acquaintances/acquaintance-changes.ts'
import { realmById } from '../realms/realm-store.ts'
import { publishAccount } from './account-facts.ts'
import type { ActingUser } from './acting-user.ts'
import { demandFreeAddress, demandWelcomeAddress } from './address-rules.ts'
import { isEmailPublic } from './email-visibility.ts'
import { demandOwnerForOwner, isOnlyOwner } from './owner-rules.ts'
import { demandUniqueName } from './unique-names.ts'
import { announceRole, announceUserForms, type RoleEvents } from './user-announcements.ts'
import { fullNameFinding } from './user-rules.ts'
import { type UserChanges, type UserRow, updateUser } from './user-store.ts'

/** What an administrator may ask to change of an account. */
export interface AccountUpdate {
  readonly full_name?: string | undefined
  readonly role?: Role | undefined
  readonly new_email?: string | undefined
}

/**
 * Changes an account for an administrator: all of it, or nothing. To be called under `lockAccounts`.
 *
 * @throws ApiError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const updateAccount = async (
  tx: Tx<RoleEvents>,
  ask: Ask,
  actor: ActingUser,
  before: UserRow,
  wishes: AccountUpdate,
  realmHost: string,
): Promise<void> => {
  const { sql } = tx
  if (before.is_deleted) throw refuse('BAD_REQUEST', 'No such user')
  const changes: UserChanges = {}

  const fullName = wishes.full_name?.trim()
  if (fullName !== undefined && fullName !== before.full_name) {
    const finding = fullNameFinding(fullName)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await demandUniqueName(sql, before.realm_id, fullName, before.id)
    changes.full_name = fullName
  }

  if (wishes.role !== undefined && wishes.role !== before.role) {
    demandOwnerForOwner(actor, before.role, wishes.role)
    if (await isOnlyOwner(sql, before)) {
      throw refuse('BAD_REQUEST', 'The owner permission cannot be removed from the only organization owner.')
    }
    changes.role = wishes.role
  }

  const email = wishes.new_email?.trim()
  if (email !== undefined && email !== before.delivery_email) {
    demandOwnerForOwner(actor, 100)
    if (!actor.can_change_user_emails) {
      throw refuse('BAD_REQUEST', 'User not authorized to change user emails')
    }
    if (before.bot_type !== null) throw refuse('BAD_REQUEST', 'The address of a bot follows from its name.')
    await demandFreeAddress(sql, before, email, realmHost)
    await demandWelcomeAddress(ask, (await realmById(sql, before.realm_id))!, email)
    changes.delivery_email = email
    if (isEmailPublic(before)) changes.email = email
  }

  if (Object.keys(changes).length === 0) return
  const after = await updateUser(sql, before.realm_id, before.id, changes)
  await publishAccount(tx, after)
  await announceUserForms(tx, before, after)
  await announceRole(tx, before, after)
  await followGuestRole(tx, ask, before, after)
}
