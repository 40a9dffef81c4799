import { showAvatar as contract } from '@parley/contracts/uploads/internals'
import { internal } from '../room.ts'
import { showStoredAvatar } from './avatar-pictures.ts'

export const showAvatar = internal(contract, async ({ input, transaction }) => {
  await transaction((tx) => showStoredAvatar(tx.sql, input, input.picture))
  return {}
})
