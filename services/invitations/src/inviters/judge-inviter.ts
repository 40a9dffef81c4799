import { invitingStanding } from '@parley/contracts/identity/joining'
import { invitesChanged } from '@parley/contracts/invitations/events'
import { inTransaction } from '@parley/kit'
import { mayInvite } from '../invites/invite-rules.ts'
import { endInvitations, openInvitations } from '../invites/invite-store.ts'
import type { Deps } from '../room.ts'
import { type InviterToJudge, settleInviter } from './inviter-store.ts'

/**
 * Ends those open invitations of an account that it could not make any more. A deactivated organization's are left
 * alone: nobody can join it, and it may come back.
 */
export const judgeInviter = async (
  { ask, database }: Pick<Deps, 'ask' | 'database'>,
  judged: InviterToJudge,
): Promise<void> => {
  const { inviter_id, realm_id, has_news } = judged
  const standing = await ask(invitingStanding, { realm_id, user_id: inviter_id, group_ids: [] })
  await inTransaction<typeof invitesChanged, void>(database, async (tx) => {
    await settleInviter(tx.sql, judged)
    if (!standing.realm_is_active) return
    const open = await openInvitations(tx.sql, realm_id, inviter_id)
    const lost = open.filter(
      ({ email, invited_as }) =>
        !mayInvite(standing.account, { isMultiuse: email === null, invitedAs: invited_as }),
    )
    if (lost.length > 0) {
      await endInvitations(
        tx.sql,
        lost.map(({ id }) => id),
        'revoked',
      )
    }
    if (lost.length === 0 && !has_news) return
    const users = [...new Set([...standing.administrator_ids, inviter_id])]
    tx.emit(invitesChanged, { realm: realm_id, users }, {})
  })
}
