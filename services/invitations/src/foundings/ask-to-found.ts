import { noRealm, refuse } from '@parley/contracts'
import { judgeFounding } from '@parley/contracts/identity/founding'
import { inTransaction } from '@parley/kit'
import { demandMail } from '../invites/demand-mail.ts'
import { countMails, insertMails, lockMailCount } from '../mail/mail-store.ts'
import type { Deps } from '../room.ts'
import { foundingFinding } from './founding-rules.ts'
import { insertFounding } from './founding-store.ts'

/** Mails that one address gets within an hour, whoever asks for them: somebody who asks again gets no more. */
const mailsPerAddress = 3
/** Mails of this kind that the server sends in a day. */
const mailsPerDay = 500

/**
 * Has the mail sent with which an organization can be made.
 *
 * @throws ApiError BAD_REQUEST
 */
export const askToFound = async (
  deps: Deps,
  sent: { realm_name: string; subdomain: string; email: string },
): Promise<void> => {
  demandMail(deps)
  const email = sent.email.trim()
  const finding = foundingFinding({ subdomain: sent.subdomain, email })
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  const { subdomain, realm_name } = await deps.ask(judgeFounding, {
    subdomain: sent.subdomain,
    realm_name: sent.realm_name,
    founder: null,
  })
  await inTransaction(deps.database, async (tx) => {
    const { sql } = tx
    await lockMailCount(sql, noRealm)
    if ((await countMails(sql, noRealm, 'founding', 1, email)) >= mailsPerAddress) return
    if ((await countMails(sql, noRealm, 'founding', 24)) >= mailsPerDay) {
      throw refuse('BAD_REQUEST', 'Too many organizations were made today. Please try again tomorrow.')
    }
    const subject_id = await insertFounding(sql, { subdomain, realm_name, email }, deps.keys.make(noRealm))
    await insertMails(sql, [{ realm_id: noRealm, kind: 'founding', recipient: email, subject_id }])
    tx.afterCommit(deps.mailer.wake)
  })
}
