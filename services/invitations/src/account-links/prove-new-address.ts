import { proveNewAddress as contract } from '@parley/contracts/invitations/internals'
import { demandMail } from '../invites/demand-mail.ts'
import { internal } from '../room.ts'
import { mailLink } from './account-link.ts'

export const proveNewAddress = internal(contract, async ({ input, deps, transaction, refuse }) => {
  demandMail(deps)
  await transaction(async (tx) => {
    const isSent = await mailLink(tx.sql, deps.keys, { ...input, kind: 'new_address' })
    if (!isSent) throw refuse('BAD_REQUEST', 'This address got several mails already. Try again later.')
    tx.afterCommit(deps.mailer.wake)
  })
  return {}
})
