import { invitesChanged } from '@parley/contracts/invitations/events'
import { createMultiuseInvite as contract } from '@parley/contracts/invitations/invites'
import { endpoint } from '../room.ts'
import { demandTerms } from './demand-terms.ts'
import { linkUrl } from './invite-presentation.ts'
import { countOpen, insertInvitation, lockInviter } from './invite-store.ts'

/** So that nobody's invitations fill the lists that others read. */
const maxOpenPerInviter = 1000

export const createMultiuseInvite = endpoint(
  contract,
  async ({ caller, params, deps, transaction, refuse }) => {
    const { realm, user } = caller
    const { terms, listeners } = await demandTerms(deps, caller, true, params)
    return transaction(async (tx) => {
      await lockInviter(tx.sql, user.id)
      if ((await countOpen(tx.sql, realm.id, user.id)) >= maxOpenPerInviter) {
        throw refuse('BAD_REQUEST', 'You have too many open invitations. Revoke some first.')
      }
      const made = await insertInvitation(
        tx.sql,
        { ...terms, realm_id: realm.id, inviter_id: user.id, email: null, notify_referrer_on_join: true },
        deps.keys.make(realm.id),
      )
      tx.emit(invitesChanged, { realm: realm.id, users: [...listeners] }, {})
      return { invite_link: linkUrl(deps.keys, realm, made) }
    })
  },
)
