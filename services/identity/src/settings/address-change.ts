import { type KnownCaller, refuse, roles } from '@parley/contracts'
import { proveNewAddress } from '@parley/contracts/invitations/internals'
import { realmHost } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import { settingsInForce } from '../realms/settings-in-force.ts'
import type { Deps } from '../room.ts'
import { demandFreeAddress, demandWelcomeAddress } from '../users/address-rules.ts'
import { userById } from '../users/user-store.ts'

/**
 * Has the address proved that somebody wants to have. Nothing changes until the link in the mail was followed.
 *
 * @throws ApiError BAD_REQUEST
 */
export const askForAddress = async (
  { database, ask, publicUrl }: Pick<Deps, 'database' | 'ask' | 'publicUrl'>,
  { realm: { id: realm_id, subdomain }, user: { id } }: KnownCaller,
  sent: string | undefined,
): Promise<void> => {
  const email = sent?.trim()
  if (email === undefined || email === '') return
  const { sql } = database
  const user = (await userById(sql, realm_id, id))!
  if (email === user.delivery_email) return
  if (user.bot_type !== null) throw refuse('BAD_REQUEST', 'The address of a bot follows from its name.')
  const realm = (await realmById(sql, realm_id))!
  if (settingsInForce(realm).email_changes_disabled === true && user.role > roles.administrator) {
    throw refuse('BAD_REQUEST', 'Email address changes are disabled in this organization.')
  }
  await demandFreeAddress(sql, user, email, realmHost(publicUrl, subdomain))
  await demandWelcomeAddress(ask, realm, email)
  await ask(proveNewAddress, { realm_id, user_id: id, old_email: user.delivery_email, new_email: email })
}
