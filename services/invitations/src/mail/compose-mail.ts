import { noRealm } from '@parley/contracts'
import { findRealmById, findUsers } from '@parley/contracts/identity/internals'
import { accountLinkUrl } from '../account-links/account-link.ts'
import { linkById } from '../account-links/link-store.ts'
import { foundingById } from '../foundings/founding-store.ts'
import { linkUrl } from '../invites/invite-presentation.ts'
import { openById } from '../invites/invite-store.ts'
import { confirmationById } from '../joining/confirmation-store.ts'
import { realmUrl } from '../realm-url.ts'
import type { Deps } from '../room.ts'
import type { Mail, MailContent } from './mail-store.ts'
import {
  addressChangedMail,
  confirmationMail,
  deactivatedMail,
  foundingMail,
  hasAccountMail,
  invitationMail,
  newAddressMail,
  passwordResetMail,
} from './mail-texts.ts'
import { unsubscribeUrl } from './unsubscribe-link.ts'

export interface ComposedMail extends MailContent {
  /** Where the receiver says that it was the last one; null for mail that the receiver asked for. */
  readonly unsubscribeUrl: string | null
}

type Parts = Pick<Deps, 'ask' | 'database' | 'keys' | 'publicUrl'>

const composeFounding = async (
  { database, keys, publicUrl }: Parts,
  mail: Mail,
): Promise<ComposedMail | undefined> => {
  const founding = await foundingById(database.sql, mail.subject_id!)
  if (founding?.state !== 'open' || founding.is_expired) return undefined
  const url = `${publicUrl}/new/${keys.show(noRealm, founding.nonce)}/`
  return { ...foundingMail(founding.realm_name, url), unsubscribeUrl: null }
}

/** A mail as it has to be now; undefined when its reason is gone (revoked, used, expired, an organization that ended). */
export const composeMail = async (
  { ask, database, keys, publicUrl }: Parts,
  mail: Mail,
): Promise<ComposedMail | undefined> => {
  if (mail.kind === 'founding') return composeFounding({ ask, database, keys, publicUrl }, mail)
  const { realm } = await ask(findRealmById, { realm_id: mail.realm_id })
  if (realm === null || !realm.is_active) return undefined
  const url = realmUrl(publicUrl, realm.subdomain)
  const place = { realmName: realm.name, realmUrl: url }
  const where = { id: realm.id, subdomain: realm.subdomain, url }
  switch (mail.kind) {
    case 'has_account':
      return { ...hasAccountMail(place), unsubscribeUrl: null }
    case 'confirmation': {
      const confirmation = await confirmationById(database.sql, mail.subject_id!)
      if (confirmation?.state !== 'open') return undefined
      return {
        ...confirmationMail(place, { url: linkUrl(keys, where, confirmation) }),
        unsubscribeUrl: null,
      }
    }
    case 'new_address':
    case 'password_reset': {
      const link = await linkById(database.sql, mail.subject_id!)
      if (link?.state !== 'open' || link.is_expired || link.user_id === 0) return undefined
      const goal = { url: accountLinkUrl(keys, where, link), oldEmail: link.old_email }
      const letter = mail.kind === 'new_address' ? newAddressMail : passwordResetMail
      return { ...letter(place, goal), unsubscribeUrl: null }
    }
    case 'address_changed':
      return { ...addressChangedMail(place, { newEmail: mail.note! }), unsubscribeUrl: null }
    case 'deactivated':
      return { ...deactivatedMail(place, { comment: mail.note! }), unsubscribeUrl: null }
    case 'invitation': {
      const invitation = await openById(database.sql, mail.subject_id!)
      if (invitation === undefined) return undefined
      const { users } = await ask(findUsers, { realm_id: realm.id, ids: [invitation.inviter_id], emails: [] })
      const leave = unsubscribeUrl(keys, where, mail.recipient)
      const inviter = users[0]?.full_name ?? realm.name
      const letter = { inviter, url: linkUrl(keys, where, invitation), unsubscribeUrl: leave }
      return { ...invitationMail(place, letter), unsubscribeUrl: leave }
    }
  }
}
