import { isAtLeast, type KnownCaller, refuse } from '@parley/contracts'
import type { RealmFact } from '@parley/contracts/identity/topics'

/** Pixels per side. */
export const avatarPixels = { small: 100, medium: 500 } as const
export type AvatarSize = keyof typeof avatarPixels

/** Below `/user_avatars/`, as `avatarUrl` writes it. */
export const avatarPath = (realmId: number, userId: number, size: AvatarSize): string =>
  `${realmId}/${userId}${size === 'medium' ? '-medium' : ''}.png`

/** Whose picture, and of which size, stands at a path below the organization's; undefined when it is none. */
export const avatarAt = (path: string): { userId: number; size: AvatarSize } | undefined => {
  const match = /^(\d{1,15})(-medium)?\.png$/.exec(path)
  return match === null
    ? undefined
    : { userId: Number(match[1]), size: match[2] === undefined ? 'small' : 'medium' }
}

/** @throws ApiError BAD_REQUEST */
export const demandAvatarChange = (caller: KnownCaller, realm: RealmFact): void => {
  const isDisabled = realm.settings?.avatar_changes_disabled === true
  if (isDisabled && !isAtLeast(caller.user, 'administrator')) {
    throw refuse('BAD_REQUEST', 'Avatar changes are disabled in this organization.')
  }
}
