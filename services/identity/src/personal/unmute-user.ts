import { unmuteUser as contract } from '@parley/contracts/identity/muted-users'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { announceMutes } from './mute-announcements.ts'
import { lockPersonal, removeMute } from './personal-store.ts'

export const unmuteUser = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const mutedId = params.muted_user_id
    if ((await userById(sql, caller.realm.id, mutedId)) === undefined) {
      throw refuse('BAD_REQUEST', 'No such user')
    }
    const [personal] = await lockPersonal(sql, [caller.user.id])
    if (!(await removeMute(sql, caller.user.id, mutedId))) throw refuse('BAD_REQUEST', 'User is not muted')
    await announceMutes(tx, caller, personal!)
    return {}
  }),
)
