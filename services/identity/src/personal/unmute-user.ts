import { unmuteUser as contract } from '@parley/contracts/identity/muted-users'
import { mayKnowAccount } from '../acquaintances/known-accounts.ts'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { announceMutes } from './mute-announcements.ts'
import { lockPersonal, removeMute } from './personal-store.ts'

/** Whoever was muted can be heard again, also by who may not know them any more. */
export const unmuteUser = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const mutedId = params.muted_user_id
    const muted = await userById(sql, caller.realm.id, mutedId)
    if (muted === undefined) throw refuse('BAD_REQUEST', 'No such user')
    const [personal] = await lockPersonal(sql, [caller.user.id])
    if (!(await removeMute(sql, caller.user.id, mutedId))) {
      const isKnown = await mayKnowAccount(sql, caller, muted)
      throw refuse('BAD_REQUEST', isKnown ? 'User is not muted' : 'No such user')
    }
    await announceMutes(tx, caller, personal!)
    return {}
  }),
)
