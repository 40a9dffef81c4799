import { muteUser as contract } from '@parley/contracts/identity/muted-users'
import { mayKnowAccount } from '../acquaintances/known-accounts.ts'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { announceMutes } from './mute-announcements.ts'
import { lockPersonal, storeMute } from './personal-store.ts'

export const muteUser = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const mutedId = params.muted_user_id
    if (mutedId === caller.user.id) throw refuse('BAD_REQUEST', 'Cannot mute self')
    const muted = await userById(sql, caller.realm.id, mutedId)
    if (muted === undefined || !(await mayKnowAccount(sql, caller, muted))) {
      throw refuse('BAD_REQUEST', 'No such user')
    }
    const [personal] = await lockPersonal(sql, [caller.user.id])
    if (!(await storeMute(sql, caller.user.id, mutedId))) throw refuse('BAD_REQUEST', 'User already muted')
    await announceMutes(tx, caller, personal!)
    return {}
  }),
)
