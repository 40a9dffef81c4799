import { updateUserGroupSubgroups as contract } from '@parley/contracts/identity/user-groups'
import { endpoint } from '../room.ts'
import { changeContent } from './group-content.ts'

export const updateUserGroupSubgroups = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    const wishes = { add_subgroups: params.add ?? [], delete_subgroups: params.delete ?? [] }
    await changeContent(tx, caller, params.user_group_id, wishes)
    return {}
  }),
)
