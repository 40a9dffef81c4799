import { isAtLeast } from '@parley/contracts'
import { listInvites as contract } from '@parley/contracts/invitations/invites'
import { endpoint } from '../room.ts'
import { presentInvitation } from './invite-presentation.ts'
import { openInvitations } from './invite-store.ts'

export const listInvites = endpoint(contract, async ({ caller, deps }) => {
  const { realm, user } = caller
  const rows = await openInvitations(
    deps.database.sql,
    realm.id,
    isAtLeast(user, 'administrator') ? undefined : user.id,
  )
  return { invites: rows.map((row) => presentInvitation(deps.keys, realm, row)) }
})
