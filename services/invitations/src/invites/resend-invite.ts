import { invitesChanged } from '@parley/contracts/invitations/events'
import { resendInvite as contract } from '@parley/contracts/invitations/invites'
import { countMails, dropWaiting, insertMails, lockMailCount } from '../mail/mail-store.ts'
import { endpoint } from '../room.ts'
import { demandMail } from './demand-mail.ts'
import { renewInvitation } from './invite-store.ts'
import { demandOwn, listenersOf } from './revoke.ts'

export const resendInvite = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  const { realm, user } = caller
  demandMail(deps)
  const administrators = await listenersOf(deps, realm.id, user.id)
  await transaction(async (tx) => {
    const { id, inviter_id, email } = await demandOwn(tx.sql, caller, {
      id: params.invite_id,
      isMultiuse: false,
    })
    await lockMailCount(tx.sql, realm.id)
    if ((await countMails(tx.sql, realm.id, 'invitation', 24)) >= deps.invitationsPerDay) {
      throw refuse('BAD_REQUEST', 'Your organization has sent as many invitations as it may in a day.')
    }
    await renewInvitation(tx.sql, id, deps.keys.make(realm.id))
    await dropWaiting(tx.sql, 'invitation', id)
    await insertMails(tx.sql, [{ realm_id: realm.id, kind: 'invitation', recipient: email!, subject_id: id }])
    tx.emit(invitesChanged, { realm: realm.id, users: [...new Set([...administrators, inviter_id])] }, {})
    tx.afterCommit(deps.mailer.wake)
  })
  return {}
})
