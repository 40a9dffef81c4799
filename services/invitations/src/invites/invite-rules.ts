/** Decisions about invitations; no I/O. */
import { type Role, roles } from '@parley/contracts'
import type { RealmPermissionName } from '@parley/contracts/identity/permission-settings'

/** An inviter as identity knows it; null when the account is not there, or not active. */
export type Inviter = { readonly role: Role; readonly allowed: readonly RealmPermissionName[] } | null

const permissionFor = (isMultiuse: boolean): RealmPermissionName =>
  isMultiuse ? 'create_multiuse_invite_group' : 'can_invite_users_group'

/** Whether an account may (still) invite like this: "only to roles with equal or stricter restrictions than their own". */
export const mayInvite = (inviter: Inviter, kind: { isMultiuse: boolean; invitedAs: Role }): boolean =>
  inviter?.allowed.includes(permissionFor(kind.isMultiuse)) === true && kind.invitedAs >= inviter.role

/** What is wrong with an invitation that an account wants to make, as a sentence for it. */
export const invitingFinding = (
  inviter: Inviter,
  kind: { isMultiuse: boolean; invitedAs: Role },
): string | undefined => {
  if (inviter === null || !inviter.allowed.includes(permissionFor(kind.isMultiuse))) {
    return 'Insufficient permission'
  }
  return mayInvite(inviter, kind) ? undefined : 'You cannot invite people to a role above your own.'
}

/** Only administrators give newcomers a text of their own; "for others the value is always null". */
export const welcomeTextFrom = (role: Role, text: string | null | undefined): string | null =>
  role <= roles.administrator ? (text ?? null) : null

/** Minutes for which an invitation is valid; null for ever. */
export const validityFrom = (sent: number | null | undefined, standard: number): number | null =>
  sent === undefined ? standard : sent

/** Whether an account may see and end an invitation. */
export const mayManage = (
  caller: { readonly id: number; readonly role: Role },
  invitation: { readonly inviter_id: number },
): boolean => caller.role <= roles.administrator || caller.id === invitation.inviter_id

/** Invitations of owners are for owners to end, and for who made them. */
export const mayEnd = (
  caller: { readonly id: number; readonly role: Role },
  invitation: { readonly inviter_id: number; readonly invited_as: Role },
): boolean =>
  caller.id === invitation.inviter_id || invitation.invited_as !== roles.owner || caller.role === roles.owner
