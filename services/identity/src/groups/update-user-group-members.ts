import { updateUserGroupMembers as contract } from '@parley/contracts/identity/user-groups'
import { endpoint } from '../room.ts'
import { changeContent } from './group-content.ts'

export const updateUserGroupMembers = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    const { user_group_id, ...wishes } = params
    await changeContent(tx, caller, user_group_id, wishes)
    return {}
  }),
)
