import { type CallerRealm, refuse } from '@parley/contracts'
import type { LinkKeys } from '../invites/link-keys.ts'
import { countMails, insertMails, lockMailCount, type MailKind } from '../mail/mail-store.ts'
import type { Deps, Queries } from '../room.ts'
import { type AccountLink, insertLink, type LinkKind, linkByKey } from './link-store.ts'

/** Mails of a kind that one address gets within an hour, whoever asks for them. */
const mailsPerAddress = 3

const paths: Record<LinkKind, string> = {
  new_address: '/accounts/confirm_new_email',
  password_reset: '/accounts/password/reset',
}

export const accountLinkUrl = (
  keys: LinkKeys,
  realm: CallerRealm,
  { kind, nonce }: Pick<AccountLink, 'kind' | 'nonce'>,
): string => `${realm.url}${paths[kind]}/${keys.show(realm.id, nonce)}`

/** Writes a mail with a link. @returns false when the address got enough of them lately. */
export const mailLink = async (
  sql: Queries,
  keys: LinkKeys,
  wish: Pick<AccountLink, 'kind' | 'realm_id' | 'user_id' | 'old_email' | 'new_email'>,
): Promise<boolean> => {
  const { kind, realm_id } = wish
  const recipient = wish.new_email ?? wish.old_email
  await lockMailCount(sql, realm_id)
  if ((await countMails(sql, realm_id, kind as MailKind, 1, recipient)) >= mailsPerAddress) return false
  const subject_id = await insertLink(sql, wish, keys.make(realm_id))
  await insertMails(sql, [{ realm_id, kind, recipient, subject_id }])
  return true
}

const longestKey = 100

/**
 * The link that a key opens.
 *
 * @throws ApiError RESOURCE_NOT_FOUND for a key that was made up, BAD_REQUEST for one that is no good any more.
 */
export const openLink = async (
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  realm: CallerRealm,
  kind: LinkKind,
  key: string,
): Promise<AccountLink> => {
  const link = await linkByKey(database.sql, kind, keys.hash(realm.id, key.slice(0, longestKey)))
  if (link === undefined) throw refuse('RESOURCE_NOT_FOUND', 'This link is not valid here.')
  if (link.state === 'used') throw refuse('BAD_REQUEST', 'This link was used already.')
  if (link.state === 'replaced') throw refuse('BAD_REQUEST', 'A newer link was sent: use that one.')
  if (link.is_expired) throw refuse('BAD_REQUEST', 'This link has expired.')
  return link
}
