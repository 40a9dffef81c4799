import { refuse } from '@parley/contracts'
import { judgeAddress } from '@parley/contracts/invitations/internals'
import type { Ask } from '@parley/kit'
import type { RealmRow } from '../realms/realm-store.ts'
import { settingsInForce } from '../realms/settings-in-force.ts'
import type { Queries } from '../room.ts'
import { isDummyEmail } from './email-visibility.ts'
import { emailFinding } from './user-rules.ts'
import { isEmailUsed, type UserRow } from './user-store.ts'

/** Whether an account could have this address now. @throws ApiError BAD_REQUEST */
export const demandFreeAddress = async (
  sql: Queries,
  user: Pick<UserRow, 'id' | 'realm_id'>,
  email: string,
  realmHost: string,
): Promise<void> => {
  const finding = emailFinding(email)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  if (isDummyEmail(email, realmHost) || (await isEmailUsed(sql, user.realm_id, email, user.id))) {
    throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
  }
}

/** Whether the organization takes addresses of this domain. @throws ApiError BAD_REQUEST */
export const demandWelcomeAddress = async (ask: Ask, realm: RealmRow, email: string): Promise<void> => {
  const settings = settingsInForce(realm)
  const { finding } = await ask(judgeAddress, {
    realm_id: realm.id,
    email,
    emails_restricted_to_domains: settings.emails_restricted_to_domains === true,
    disallow_disposable_email_addresses: settings.disallow_disposable_email_addresses === true,
  })
  if (finding !== null) throw refuse('BAD_REQUEST', finding)
}
