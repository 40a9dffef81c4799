import { deleteBotStorage as contract } from '@parley/contracts/identity/bot-storage'
import { endpoint } from '../room.ts'
import { holdsNul } from '../users/user-store.ts'
import { lockStorage, removeEntries } from './bot-storage-store.ts'

/** All of the keys are there and removed, or nothing is. */
export const deleteBotStorage = endpoint(contract, async ({ caller, params, transaction, refuse }) => {
  const keys = params.keys === undefined ? undefined : [...new Set(params.keys)]
  const missing = () => refuse('BAD_REQUEST', 'Key does not exist.')
  if (keys?.some(holdsNul)) throw missing()
  return transaction(async (tx) => {
    await lockStorage(tx.sql, caller.user.id)
    const removed = await removeEntries(tx.sql, caller.user.id, keys)
    if (keys !== undefined && removed < keys.length) throw missing()
    return {}
  })
})
