import type { UserChanges } from '../users/user-store.ts'

/**
 * What an account is after its password was changed. Whoever knew the old one may sit in another browser: all sessions
 * are over, but the one (if any) in which the new one was chosen.
 */
export const withNewPassword = (password_hash: string, ownSession?: string): UserChanges => ({
  password_hash,
  password_reset_required: false,
  sessions_since: Date.now() / 1000,
  spared_session: ownSession ?? null,
})
