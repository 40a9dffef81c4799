import { type CallerRealm, refuse } from '@parley/contracts'
import { findUsers } from '@parley/contracts/identity/internals'
import { inTransaction } from '@parley/kit'
import { demandMail } from '../invites/demand-mail.ts'
import { countMails, insertMails, lockMailCount } from '../mail/mail-store.ts'
import type { Deps } from '../room.ts'
import { insertConfirmation } from './confirmation-store.ts'
import { demandAddress, demandWelcome, findEntrance } from './entrance.ts'

/** Mails that one address gets within an hour, whoever asks for them: somebody who asks again gets no more. */
const mailsPerAddress = 3
/** Mails to addresses that nobody vouches for, of one organization in a day. */
const mailsPerDay = 2000

/**
 * Has the mail sent that proves an address to be the newcomer's. Who asks does not learn whether the address has an
 * account: the mail tells that to its owner.
 *
 * @throws ApiError RESOURCE_NOT_FOUND, REALM_DEACTIVATED, BAD_REQUEST
 */
export const sendConfirmation = async (
  deps: Deps,
  caller: CallerRealm,
  { email: sent, key }: { email: string; key?: string | undefined },
): Promise<void> => {
  demandMail(deps)
  const email = sent.trim()
  const entrance = key === undefined ? undefined : await findEntrance(deps, caller, key)
  if (entrance !== undefined && entrance.email !== null) {
    throw refuse('BAD_REQUEST', 'The address of this link is confirmed already.')
  }
  const { realm } = await demandWelcome(deps, caller.id, entrance?.invitation)
  await demandAddress(deps, realm, email)
  const { users } = await deps.ask(findUsers, { realm_id: realm.id, ids: [], emails: [email] })
  const isKnown = users.some((user) => user.delivery_email.toLowerCase() === email.toLowerCase())
  const kind = isKnown ? 'has_account' : 'confirmation'
  await inTransaction(deps.database, async (tx) => {
    const { sql } = tx
    await lockMailCount(sql, realm.id)
    if ((await countMails(sql, realm.id, kind, 1, email)) >= mailsPerAddress) return
    if ((await countMails(sql, realm.id, kind, 24)) >= mailsPerDay) {
      throw refuse('BAD_REQUEST', 'Too many people want to join today. Please try again tomorrow.')
    }
    const invitation_id = entrance?.invitation?.id ?? null
    const subject_id = isKnown
      ? null
      : await insertConfirmation(sql, { realm_id: realm.id, invitation_id, email }, deps.keys.make(realm.id))
    await insertMails(sql, [{ realm_id: realm.id, kind, recipient: email, subject_id }])
    tx.afterCommit(deps.mailer.wake)
  })
}
