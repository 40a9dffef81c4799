import { type Role, roles } from '@parley/contracts'

/** The setting `email_address_visibility`: who may see an account's real e-mail address (facts, section 9). */
export const emailVisibility = {
  everyone: 1,
  members: 2,
  administrators: 3,
  nobody: 4,
  moderators: 5,
} as const
export type EmailVisibility = (typeof emailVisibility)[keyof typeof emailVisibility]

/** Who looks: anybody's account in the same organization. */
export interface Viewer {
  readonly id: number
  readonly role: Role
}

/** Whose address it is. */
export interface EmailOwner {
  readonly id: number
  readonly bot_type: number | null
  readonly email_address_visibility: EmailVisibility
}

/** The least powerful role that may see the address; null when none may. */
const weakestRole: Record<EmailVisibility, Role | null> = {
  [emailVisibility.everyone]: roles.guest,
  [emailVisibility.members]: roles.member,
  [emailVisibility.moderators]: roles.moderator,
  [emailVisibility.administrators]: roles.administrator,
  [emailVisibility.nobody]: null,
}

/** Whether the address may be seen by everyone who can see the account at all. Those of bots always may. */
export const isEmailPublic = (owner: Omit<EmailOwner, 'id'>): boolean =>
  owner.bot_type !== null || owner.email_address_visibility === emailVisibility.everyone

/** Whether `viewer` may see the real address of `owner`; one's own is always visible. */
export const seesEmail = (viewer: Viewer, owner: EmailOwner): boolean => {
  if (viewer.id === owner.id || isEmailPublic(owner)) return true
  const weakest = weakestRole[owner.email_address_visibility]
  return weakest !== null && viewer.role <= weakest
}

/** The address that stands for a hidden one in the API; it receives no mail. */
export const dummyEmail = (userId: number, realmHost: string): string => `user${userId}@${realmHost}`

/** Whose dummy address this is, if it has the form of {@link dummyEmail} for this host. */
export const dummyEmailId = (email: string, realmHost: string): number | undefined => {
  const [local, host] = email.toLowerCase().split('@')
  const digits = /^user(\d{1,15})$/.exec(local ?? '')?.[1]
  return host === realmHost.toLowerCase() && digits !== undefined ? Number(digits) : undefined
}

/** Whether an address has the form of {@link dummyEmail} for some account of this host. */
export const isDummyEmail = (email: string, realmHost: string): boolean => {
  const [local, host] = email.toLowerCase().split('@')
  return host === realmHost.toLowerCase() && /^user\d+$/.test(local ?? '')
}
