import { refuse } from '@parley/contracts'
import { findRealmById, findUsers } from '@parley/contracts/identity/internals'
import { invitesChanged } from '@parley/contracts/invitations/events'
import { sendInvites as contract } from '@parley/contracts/invitations/invites'
import { addressFinding } from '../addresses/address-rules.ts'
import { joiningSettings } from '../addresses/address-settings.ts'
import { countMails, insertMails, lockMailCount, unsubscribedOf } from '../mail/mail-store.ts'
import { domainsOfRealm } from '../realm-domains/domain-store.ts'
import { type Deps, endpoint } from '../room.ts'
import { demandMail } from './demand-mail.ts'
import { demandTerms } from './demand-terms.ts'
import { insertInvitation } from './invite-store.ts'
import { inviteeAddresses } from './invitee-addresses.ts'

/** An address that gets no invitation: the reason, and whether it belongs to a deactivated account. */
type Finding = [email: string, reason: string, isDeactivated: boolean]

const failed = (
  message: string,
  errors: Finding[],
  outcome: { isSent?: boolean; isLimitReached?: boolean } = {},
) =>
  refuse('INVITATION_FAILED', message, {
    errors,
    sent_invitations: outcome.isSent ?? false,
    daily_limit_reached: outcome.isLimitReached ?? false,
    license_limit_reached: false,
  })

/** Addresses that the organization does not take. */
const inadmissible = async (deps: Deps, realmId: number, emails: readonly string[]): Promise<Finding[]> => {
  const { realm } = await deps.ask(findRealmById, { realm_id: realmId })
  if (realm === null) throw refuse('BAD_REQUEST', 'Insufficient permission')
  const settings = joiningSettings(realm)
  const domains = await domainsOfRealm(deps.database.sql, realmId)
  return emails.flatMap((email): Finding[] => {
    const reason = addressFinding(email, settings, domains)
    return reason === undefined ? [] : [[email, reason, false]]
  })
}

/** Addresses whose owners are here already, or do not want to be asked. */
const superfluous = async (deps: Deps, realmId: number, emails: readonly string[]): Promise<Finding[]> => {
  const { users } = await deps.ask(findUsers, { realm_id: realmId, ids: [], emails: [...emails] })
  const accounts = new Map(users.map((user) => [user.delivery_email.toLowerCase(), user]))
  const unwilling = await unsubscribedOf(
    deps.database.sql,
    realmId,
    emails.map((email) => email.toLowerCase()),
  )
  return emails.flatMap((email): Finding[] => {
    const account = accounts.get(email.toLowerCase())
    if (account?.is_active === true) return [[email, 'Already has an account.', false]]
    if (account !== undefined) return [[email, 'Account has been deactivated.', true]]
    return unwilling.has(email.toLowerCase()) ? [[email, 'Wants no more invitations.', false]] : []
  })
}

export const sendInvites = endpoint(contract, async ({ caller, params, deps, transaction }) => {
  const { realm, user } = caller
  const { terms, listeners } = await demandTerms(deps, caller, false, params)
  demandMail(deps)
  const emails = inviteeAddresses(params.invitee_emails)
  if (emails.length === 0) throw refuse('BAD_REQUEST', 'You must specify at least one email address.')
  if (emails.length > deps.invitationsPerDay) {
    throw failed('That is more than the invitations that can be sent in a day.', [], { isLimitReached: true })
  }
  const wrong = await inadmissible(deps, realm.id, emails)
  if (wrong.length > 0) throw failed('Some addresses cannot be invited, so nobody was.', wrong)
  const skipped = await superfluous(deps, realm.id, emails)
  const invited = emails.filter((email) => !skipped.some(([address]) => address === email))
  if (invited.length === 0) throw failed('Nobody was invited.', skipped)

  await transaction(async (tx) => {
    await lockMailCount(tx.sql, realm.id)
    if ((await countMails(tx.sql, realm.id, 'invitation', 24)) + invited.length > deps.invitationsPerDay) {
      throw failed('Your organization has sent as many invitations as it may in a day.', [], {
        isLimitReached: true,
      })
    }
    for (const email of invited) {
      const { id } = await insertInvitation(
        tx.sql,
        {
          ...terms,
          realm_id: realm.id,
          inviter_id: user.id,
          email,
          notify_referrer_on_join: params.notify_referrer_on_join,
        },
        deps.keys.make(realm.id),
      )
      await insertMails(tx.sql, [
        { realm_id: realm.id, kind: 'invitation', recipient: email, subject_id: id },
      ])
    }
    tx.emit(invitesChanged, { realm: realm.id, users: [...listeners] }, {})
    tx.afterCommit(deps.mailer.wake)
  })
  if (skipped.length > 0) throw failed('Some were not invited; all others were.', skipped, { isSent: true })
  return {}
})
