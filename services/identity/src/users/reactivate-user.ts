import { reactivateUser as contract } from '@parley/contracts/identity/user-administration'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from './acting-user.ts'
import { demandOwnerForOwner } from './owner-rules.ts'
import { announceActivation, announceUserForms } from './user-announcements.ts'
import { isFullNameUsed, setActive, updateUser, userById } from './user-store.ts'

export const reactivateUser = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const realmId = caller.realm.id
    await lockAccounts(sql, realmId)
    const actor = await actingUser(sql, caller, 'administrator')
    const user = await userById(sql, realmId, params.user_id)
    if (user === undefined || user.is_deleted) throw refuse('BAD_REQUEST', 'No such user')
    if (user.is_active) throw refuse('BAD_REQUEST', 'User is already active')
    demandOwnerForOwner(actor, user.role)
    if (user.bot_type !== null && (await isFullNameUsed(sql, realmId, user.full_name))) {
      throw refuse('BAD_REQUEST', 'There is already an active account with the name of this bot.')
    }
    let back = (await setActive(sql, realmId, user.id, true))!
    if (user.bot_owner_id !== null) {
      // A bot whose owner has left is nobody's: it becomes that of whoever brings it back.
      const owner = await userById(sql, realmId, user.bot_owner_id)
      if (!owner?.is_active && actor.bot_type === null) {
        back = await updateUser(sql, realmId, user.id, { bot_owner_id: actor.id })
      }
    }
    await announceActivation(tx, back)
    await announceUserForms(tx, user, back)
    return {}
  }),
)
