import type { CallerRealm } from '@parley/contracts'
import type { Invitation } from '@parley/contracts/objects/invitation'
import type { InvitationRow } from './invite-store.ts'
import type { LinkKeys } from './link-keys.ts'

/** Where an invitation is taken up. */
export const linkUrl = (
  keys: LinkKeys,
  realm: CallerRealm,
  { nonce }: Pick<InvitationRow, 'nonce'>,
): string => `${realm.url}/join/${keys.show(realm.id, nonce)}/`

/** An invitation as its owner and administrators see it. The link of one that was sent by mail is its receiver's. */
export const presentInvitation = (keys: LinkKeys, realm: CallerRealm, row: InvitationRow): Invitation => ({
  id: row.id,
  invited_by_user_id: row.inviter_id,
  invited: row.invited,
  expiry_date: row.expiry_date,
  invited_as: row.invited_as,
  is_multiuse: row.email === null,
  notify_referrer_on_join: row.notify_referrer_on_join,
  ...(row.email === null ? { link_url: linkUrl(keys, realm, row) } : { email: row.email }),
})
